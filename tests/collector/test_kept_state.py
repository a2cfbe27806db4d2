"""A state that cannot be read is kept beside the new one, so that a rollback destroys nothing; it is for its owner."""

from __future__ import annotations

import gzip
from pathlib import Path

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import batch, counter_push, push
from tests.collector.conftest import Start


def kept(state: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in state.glob("*.kept")}


def restart_with(collector: CollectorProcess, content: bytes) -> Path:
    assert collector.stop() == 0
    path = Path(collector.config["state_dir"]) / "state.jsonl.gz"
    path.write_bytes(content)
    path.chmod(0o644)
    collector.start()
    return path


def test_a_state_that_cannot_be_read_is_kept_once(start: Start) -> None:
    collector = start()
    collector.push(batch([push(1, counter_push(3.0))]))
    later = gzip.compress(b'["begin", "kwitness.collector-state/7"]\n["what", "a later version writes"]\n')

    state = restart_with(collector, later)

    assert kept(state.parent) == {"state.7.kept": later}
    assert gzip.decompress(state.read_bytes()).startswith(b'["begin", "kwitness.collector-state/2"]')
    written = [path for path in state.parent.iterdir() if path.suffix != ".kept"]
    assert {oct(path.stat().st_mode & 0o777) for path in written} == {"0o600"}

    damaged = b"no state at all"
    restart_with(collector, damaged)
    assert kept(state.parent) == {"state.damaged.kept": damaged}

    assert collector.stop() == 0
    collector.start()
    assert kept(state.parent) == {"state.damaged.kept": damaged}, "one that was read is no reason to forget it"
