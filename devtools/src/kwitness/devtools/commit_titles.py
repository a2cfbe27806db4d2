"""Judges titles of commits: imperative, and short enough for every list. The `commit-msg` hook runs it."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["SINCE", "landed", "problem_of"]

SINCE: Final = "c6bc9c6609f2600f4db75541ad3e34526c16df45"
"""The last commit before titles were checked."""

_VERBS_FILE: Final = Path(__file__).with_name("imperative_verbs.txt")
_VERBS: Final = frozenset(_VERBS_FILE.read_text().split())
_LONGEST: Final = 72
_EXAMPLE: Final = "such as: Move subscription facts to subscription_facts.py"


def problem_of(title: str) -> str | None:
    """Return why a title is refused, with the remedy; None where it is right."""
    if len(title) > _LONGEST:
        return f"has {len(title)} characters: {_LONGEST} at most, the rest belongs in the body"
    first = re.split(r"[\s:,]", title, maxsplit=1)[0]
    if first.lower() in _VERBS:
        right = first[0].isupper() and not title.endswith(".")
        return None if right else "is no title: begin it with a capital letter, and end it without a full stop"
    if re.fullmatch(r"\w+(ed|ing)", first):
        return f"begins with {first!r}, which is no imperative: begin with the verb's base form, {_EXAMPLE}"
    return (
        f"begins with {first!r}, which is no verb that is known here: begin with what the commit does, {_EXAMPLE};"
        f" add a verb that is missing to {_VERBS_FILE.name}"
    )


def landed(root: Path, since: str = SINCE) -> dict[str, str] | None:
    """Return the titles of commits since then by hash, merges left out; None where the history does not reach back."""
    command = ["git", "log", "--no-merges", "--format=%H %s", f"{since}..HEAD"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def _title_in(message: str) -> str:
    """Return the first line that git keeps, without the mark of a commit that is to be squashed."""
    kept = (line for line in message.splitlines() if line.strip() and not line.startswith("#"))
    return re.sub(r"^((fixup|squash|amend)! )+", "", next(kept, ""))


def main() -> int:
    """Judge the message of a commit that is about to be made; 1 when its title is refused."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.commit_titles", description=__doc__)
    parser.add_argument("message", type=Path, help="the file with the commit's message, as git gives it to hooks")
    title = _title_in(parser.parse_args().message.read_text())
    if title.startswith("Merge branch '"):
        return 0
    problem = problem_of(title)
    if problem is not None:
        print(f"the title {title!r} {problem}", file=sys.stderr)
    return 0 if problem is None else 1


if __name__ == "__main__":
    sys.exit(main())
