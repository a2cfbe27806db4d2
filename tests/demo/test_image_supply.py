"""Images are built and delivered beside the parts that need none of them, and stay when the demo is removed."""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from kwitness.demo import __main__ as main
from kwitness.demo import images, run, up
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.image_supply import ImageSupply
from kwitness.demo.parts import Demo, DemoTarget, part
from kwitness.demo.progress import Progress
from kwitness.images import builder
from kwitness.images.commands import Progress as Say
from kwitness.sandbox.waiting import wait_until


class Delivery:
    """Delivers a batch only when a test permits it."""

    def __init__(self) -> None:
        self.built: list[str] = []
        self.delivered: list[str] = []
        self.permitted = threading.Semaphore(0)

    def __call__(self, references: Sequence[str], note: Say) -> None:
        note(f"loading {len(references)}")
        self.permitted.acquire()
        self.delivered += references


@pytest.fixture
def delivery(monkeypatch: pytest.MonkeyPatch) -> Delivery:
    delivery = Delivery()

    def build(recipes: Mapping[str, object], _note: Say) -> dict[str, str]:
        delivery.built += recipes
        return {name: f"kwitness/{name}" for name in recipes}

    monkeypatch.setattr(builder, "build_all", build)
    return delivery


def demo_with(supply: ImageSupply, folder: Path, out: io.StringIO) -> Demo:
    cluster = DemoCluster.__new__(DemoCluster)
    target = DemoTarget(cluster=cluster, images={}, image_values=folder, logs=lambda: "logs", supply=supply)
    return Demo(target, Progress(total=9, out=out))


def test_a_part_starts_once_its_own_images_are_there(delivery: Delivery, tmp_path: Path) -> None:
    supply, out, started = ImageSupply(["spark", "collector", "operator"], delivery), io.StringIO(), list[str]()
    credentials = part()(lambda _: started.append("credentials"))
    charts = part(credentials, images=["operator"])(lambda _: started.append("charts"))
    demo = demo_with(supply, tmp_path, out)
    supply.start()
    supply.open()

    demo.require(credentials)
    assert (started, delivery.delivered) == (["credentials"], [])

    delivery.permitted.release()
    demo.require(charts)
    assert (started, delivery.delivered) == (["credentials", "charts"], ["kwitness/operator"])

    delivery.permitted.release(2)
    supply.wait(["spark"], print)
    assert delivery.delivered == ["kwitness/operator", "kwitness/collector", "kwitness/spark"]


def test_what_is_missing_is_shown_with_what_is_done_for_it(delivery: Delivery) -> None:
    supply, shown = ImageSupply(["operator"], delivery), list[str]()

    def show(line: str) -> None:
        shown.append(line)
        if "loading" in line:
            delivery.permitted.release()

    supply.start()
    supply.open()
    supply.wait(["operator"], show)

    assert shown[-1] == "images operator: loading 1"


def test_images_are_built_and_not_delivered_before_the_node_is_ready(delivery: Delivery) -> None:
    supply = ImageSupply(["spark", "operator"], delivery)
    delivery.permitted.release(2)
    supply.start()
    wait_until(lambda: delivery.built, lambda built: built == ["operator", "spark"], what="both are built")
    assert delivery.delivered == []

    supply.open()
    supply.wait(["operator", "spark"], print)
    assert delivery.delivered == ["kwitness/operator", "kwitness/spark"]


def test_an_image_that_cannot_be_delivered_fails_the_part_that_needs_it(delivery: Delivery, tmp_path: Path) -> None:
    def fail(_references: Sequence[str], _note: Say) -> None:
        raise OSError("no space left on device")

    supply = ImageSupply(["operator"], fail)
    supply.start()
    supply.open()

    with pytest.raises(OSError, match="no space left"):
        demo_with(supply, tmp_path, io.StringIO()).require(part(images=["operator"])(lambda _: None))


def test_all_images_of_parts_are_in_the_order_in_which_parts_need_them() -> None:
    order = [name for batch in images.BATCHES for name in batch]
    needed = [name for chosen in up.PARTS for name in chosen.images]

    assert sorted(order) == sorted(set(needed))
    batch_of = {name: number for number, batch in enumerate(images.BATCHES) for name in batch}
    first = [batch_of[name] for name in dict.fromkeys(needed)]
    assert first == sorted(first)


def test_demo_down_names_what_stays_and_how_to_remove_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[bool] = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(run, "remove_node", lambda _name, *, keep_images, **_: kept.append(keep_images))
    monkeypatch.setattr(run, "image_volumes", lambda _name: {"kwitness-demo-images-0123": "4.2GB"})
    monkeypatch.setattr("sys.argv", ["demo", "down"])

    assert main.main() == 0
    shown = capsys.readouterr().out
    assert kept == [True]
    assert "kwitness-demo-images-0123 (4.2GB) stays" in shown
    assert "docker volume rm kwitness-demo-images-0123" in shown
    assert "make clean-cache" in shown
