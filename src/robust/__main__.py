"""``python -m robust`` is the command ``robust``."""

from robust.cli import main

if __name__ == "__main__":
    main()
