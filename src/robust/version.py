"""The version of this distribution: read by the build, by ``robust --version`` and by every record's ``observed``."""

__version__ = "0.1.0"
