"""The one kind of failure that is told to the person who starts the host."""


class CannotStartError(Exception):
    """The app cannot be served. Its text says why and what to do, and is shown without a traceback."""
