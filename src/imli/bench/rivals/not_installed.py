"""What is raised where a rival cannot be had."""


class NotInstalledError(Exception):
    """A rival cannot run here. The message says why, and what to do about it if something can be done."""
