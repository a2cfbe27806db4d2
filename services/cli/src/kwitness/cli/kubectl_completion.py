"""What kubectl runs to complete `kubectl kwitness ...`: a program named `kubectl_complete-kwitness`.

It is given the words behind `kwitness`, of which the last is to be completed, and answers as the library of kubectl has
it: a candidate a line, and a last line with what the shell may do besides.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import Final

from kwitness.cli.program import run

_NO_FILES: Final = ":4"
"""Names of files are no candidates."""


def main() -> int:
    """Print the candidates."""
    words = sys.argv[1:] or [""]
    # The protocol of typer for bash: the words as they were typed, and which of them is meant.
    os.environ["COMP_WORDS"] = " ".join(["kwitness", *(shlex.quote(word) for word in words)])
    os.environ["COMP_CWORD"] = str(len(words))
    os.environ["_KWITNESS_COMPLETE"] = "complete_bash"
    run([], name="kwitness")
    print(_NO_FILES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
