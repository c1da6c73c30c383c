"""``python -m imli`` is the command ``imli``."""

import sys

from imli.cli import main

if __name__ == "__main__":
    sys.exit(main())
