"""What a person has to put right."""


class CommandFailedError(Exception):
    """The message names what failed, why, and what to do; it is all that is shown."""
