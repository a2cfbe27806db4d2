"""Header keys that an observer saw in the records of one client and window, as the members of JSON objects."""

from __future__ import annotations

import random

from .clients import Client

__all__ = ["header_rows"]

_MOST_RECORDS = 400
_LOOKED_AT = 0.25
_WRONG, _MISSING = 0.02, 0.3
_COST_CENTRES = ("sales", "logistics", "finance")


def header_rows(client: Client, dice: random.Random) -> list[str]:
    """One row for each topic and key: of a register's keys, and of one that no register has in some applications.

    Consumers get what producers sent, so all applications see the same keys.
    """
    rows = []
    for topic, _ in client.uses:
        passed = 1 + int(dice.random() * _MOST_RECORDS)
        looked_at = max(1, int(passed * _LOOKED_AT))
        side = "producer" if client.group is None else "consumer"
        about = f'"seen_by":"observer","side":"{side}",{topic.named}'
        records = f'"overflowed":false,"records_passed":{passed},"records_looked_at":{looked_at},'
        tag = _COST_CENTRES[client.application % len(_COST_CENTRES)]
        tagged = looked_at - int(looked_at * _MISSING) if client.application % 4 == 1 else looked_at
        rows.append(
            f'{about}"key":"charge.tag",{records}"registered":true,"headers":{tagged},"bytes":{tagged * len(tag)},'
            f'"missing":{looked_at - tagged},"values":[{{"value":"{tag}","records":{tagged}}}]}}'
        )
        wrong = sum(dice.random() < _WRONG for _ in range(looked_at))
        rows.append(
            f'{about}"key":"trace.id",{records}"registered":true,"headers":{looked_at},"bytes":{looked_at * 16},'
            f'"wrong_type":{wrong}}}'
        )
        if client.application % 5 == 0:
            rows.append(
                f'{about}"key":"x-debug",{records}"registered":false,"headers":{looked_at},"bytes":{looked_at * 3}}}'
            )
    return rows
