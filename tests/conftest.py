"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# Times are measured in benchmarks. A busy machine, or the first import of a library, is no reason to fail.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
