"""Commands in a terminal."""

import os
import pty
import select
import subprocess
import sys


def in_a_terminal(*command, columns=100, status=0, **environment):
    """All that a command writes to a terminal of its own, before it ends with this exit status."""
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "imli", *map(str, command)], stdin=slave, stdout=slave, stderr=slave, env=env
    )
    os.close(slave)
    parts = []
    while True:
        if select.select([master], [], [], 0.1)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
        elif process.poll() is not None:
            break
    os.close(master)
    assert process.wait(timeout=60) == status
    return b"".join(parts).decode()
