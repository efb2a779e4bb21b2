"""The one kind of failure that the caller is told in words."""


class Refusal(Exception):  # noqa: N818 - it says what happened, and is nobody's error
    """A request that cannot be carried out, and what to do instead.

    Its text is read by a model or a person: what was wrong, which values are valid or which tool supplies them, and
    whether to try again. It never carries a secret or a value that the caller did not send.
    """
