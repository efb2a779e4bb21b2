"""The exception whose message is shown to the caller."""


class Refusal(Exception):  # noqa: N818 - not a programming error
    """A rejected request. A model or a person reads the message. It says what was wrong, which values are valid (or
    which tool returns valid values), and whether to retry. The message never contains secrets or values that the caller
    did not send.
    """
