"""The guide of the command: its role is enough, and each of its lines about subscriptions does what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from kwitness.cli.subcommands import SUBCOMMANDS

from tests.cli.command import Person, kubeconfig_with
from tests.cli.conftest import account, cluster, token
from tests.eventually import eventually

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/guides/command.md").read_text()
README = (ROOT / "README.md").read_text()


def typed(page: str) -> list[list[str]]:
    """The words of each line of a page that begins with the command, in the blocks that a shell is meant to read."""
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("kwitness ")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture
def supporter(api, namespace, tmp_path) -> Person:
    """A service account with the role that the guide gives."""
    [role] = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)]
    role["metadata"]["namespace"] = namespace
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "support", "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role["metadata"]["name"]},
        "subjects": [{"kind": "ServiceAccount", "name": "support", "namespace": namespace}],
    }
    api.objects.apply(account("support", namespace), role, binding, cluster("orders", namespace))
    person = Person(kubeconfig_with(api, tmp_path / "support", token(api, "support", namespace)), tmp_path)
    # What is said of permissions takes effect a moment later.
    eventually(lambda: person.types("--namespace", namespace, "subscriptions", "list").returncode == 0)
    return person


def test_its_lines_run_one_after_the_other_with_the_role_that_it_gives(supporter, namespace):
    lines = [words for words in typed(GUIDE) if words[0] == "subscriptions"]
    warned = {}
    for words in lines:
        done = supporter.types("--namespace", namespace, *words)
        assert done.returncode == 0, (words, done.stderr)
        warned[words[2] if len(words) > 2 else words[1]] = done.stderr
    left = json.loads(supporter.done("--namespace", namespace, "subscriptions", "list", "-o", "json"))["items"]

    assert len(lines) == 8
    assert [one["name"] for one in left] == ["queues"]


def test_doctor_names_what_its_role_does_not_let_it_see(supporter, namespace):
    done = supporter.types("--namespace", namespace, "doctor", "--here", "-o", "json")

    items = json.loads(done.stdout)["items"]
    unseen = {item["check"] for item in items if item["severity"] == "warning"}
    assert unseen == {"Definitions", "Operator"}
    assert "`doctor` warns that it cannot check the CustomResourceDefinitions and the operator's Deployment" in GUIDE


def test_what_the_proposals_example_asks_for_is_known_to_be_sent_by_nobody(supporter, namespace):
    [line] = [words for words in typed(GUIDE) if "librdkafka-queues" in words and "add" in words]
    done = supporter.types("--namespace", namespace, *line)

    for prefix in ("org.apache.kafka.client.producer.partition.", "librdkafka.client.memory."):
        assert f"no client is known to send a metric that begins with {prefix}" in done.stderr


def test_the_line_of_the_readme_asks_one_client_for_ten_minutes(api, namespace, person):
    api.objects.apply(cluster("orders", namespace))
    [line] = typed(README)[-1:]
    words = [namespace if word == "kwitness" else word for word in line]
    person.done(*words)
    [one] = json.loads(person.done("subscriptions", "list", "-o", "json"))["items"]

    assert (one["name"], one["interval"], one["match"][0]["pattern"]) == ("slow-orders", "10s", "orders-7")


def test_it_names_every_subcommand() -> None:
    rows = GUIDE.partition("## Install it")[0]

    assert [name for name in SUBCOMMANDS if name != "completion" and f"`{name}`" not in rows] == []
