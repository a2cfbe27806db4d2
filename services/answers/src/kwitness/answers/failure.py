"""What a person has to put right, and what the command's exit status says of it."""

from __future__ import annotations

from typing import ClassVar, Final

FAILED: Final = 1
WRONG_USE: Final = 2
NOT_PERMITTED: Final = 3
OUTPUT_CLOSED: Final = 141
"""What programs have that end by SIGPIPE."""
STATUSES: Final = {
    "It could not be done; the message says why, and what to do.": FAILED,
    "There is no such command, option or value.": WRONG_USE,
    "A permission is missing, which the message names with the commands that give it.": NOT_PERMITTED,
    "Whoever read the output stopped, as in `\\| head`; nothing is said.": OUTPUT_CLOSED,
}
"""What each exit status says."""


class CommandFailedError(Exception):
    """The message names what failed, why, and what to do; it is all that is shown."""

    status: ClassVar[int] = FAILED


class NotPermittedError(CommandFailedError):
    """A permission is missing; the message names it and how it is given.

    Parameters
    ----------
    user
        Who lacks it, as the API server names users; None where it is not known.
    """

    status: ClassVar[int] = NOT_PERMITTED

    def __init__(self, message: str, user: str | None = None) -> None:
        super().__init__(message)
        self.user = user


class WrongUseError(CommandFailedError):
    """The command line asks for what cannot be, whatever the cluster holds."""

    status: ClassVar[int] = WRONG_USE
