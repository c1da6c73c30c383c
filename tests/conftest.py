import os
import signal

import pytest

# scikit-learn skips one of its checks unless this is set before SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")


@pytest.fixture(autouse=True)
def ctrl_c_interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
