"""``python -m imli`` is the command ``imli``."""

from imli.cli import script

if __name__ == "__main__":
    script()
