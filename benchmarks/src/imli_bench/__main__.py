"""Run ``imli-bench`` as a module: python -m imli_bench."""

import sys

from imli_bench.entry import main

if __name__ == "__main__":
    sys.exit(main())
