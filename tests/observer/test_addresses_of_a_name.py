"""Names of brokers with several addresses, of which some do not answer."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from tests.observer.answering_broker import AnsweringBroker, list_groups
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker


def knowing(program: Path, folder: Path, hosts: str) -> Path:
    """The program with names of its own."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a mount namespace takes root")
    file, script = folder / "hosts", folder / "observer"
    file.write_text(hosts)
    script.write_text(
        f'#!/bin/sh\nexec unshare -m sh -c \'mount --bind {file} /etc/hosts && exec {program} "$@"\' sh "$@"\n'
    )
    script.chmod(0o755)
    return script


def test_another_address_of_a_name_is_tried_beside_one_that_does_not_answer(program: Path, tmp_path: Path) -> None:
    # Neither is nearer to 127.0.0.1 than the other, so both stay in this order.
    program = knowing(program, tmp_path, "127.0.0.2 brokers.test\n127.0.0.3 brokers.test\n")
    with AnsweringBroker("127.0.0.3") as broker, socket.socket() as full, socket.socket() as filling:
        # Where as many connections wait as may, the system answers no more.
        full.bind(("127.0.0.2", broker.port))
        full.listen(0)
        filling.connect(full.getsockname())
        observer = ObserverProcess(program, tmp_path, bootstrap=f"brokers.test:{broker.port}", nodes=(), changes={})
        port = int(observer.settings["listener"]["bootstrap_port"])
        with observer, socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(list_groups(7))

            assert client.recv(9) == b"\0\0\0\5\0\0\0\7\7"
