"""Parts of the demo: each is started once, after those that it needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kwitness.demo.cluster import DemoCluster
from kwitness.demo.image_supply import ImageSupply
from kwitness.demo.platform import Platform
from kwitness.demo.progress import Progress


@dataclass(frozen=True, kw_only=True)
class DemoTarget:
    """Where the demo runs."""

    cluster: DemoCluster
    images: Mapping[str, str]
    """Image name (`demo-python`) to full reference."""
    image_values: Path
    """A folder with a Helm values file for each chart, which names the same images."""
    logs: Callable[[], str]
    """Collects all logs and says where they are; called when something fails."""
    supply: ImageSupply | None = None
    """Still brings images; without one all are there."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of the demo that can fail by itself."""

    start: Callable[[Demo], None]
    """Starts it and waits until it can be used; on one that runs, finds nothing to do. Its docstring announces it."""
    needs: tuple[Part, ...]
    images: tuple[str, ...] = ()
    """Names of the images that its pods run."""

    @property
    def name(self) -> str:
        """As a person types it."""
        return self.start.__name__.replace("_", "-")


def part(*needs: Part, images: Collection[str] = ()) -> Callable[[Callable[[Demo], None]], Part]:
    """Make a part of the function that starts it."""
    return lambda start: Part(start, needs, tuple(images))


def with_needs(chosen: Collection[Part], order: Sequence[Part]) -> tuple[Part, ...]:
    """Parts and all that they need, in the order given."""
    needed: set[Part] = set()
    open_parts = list(chosen)
    while open_parts:
        if (found := open_parts.pop()) not in needed:
            needed.add(found)
            open_parts += found.needs
    return tuple(found for found in order if found in needed)


@dataclass(frozen=True)
class Demo:
    """The parts that were started, and those that failed."""

    target: DemoTarget
    progress: Progress
    _failures: dict[Part, Exception | None] = field(default_factory=dict)
    """By part that was started."""

    @property
    def cluster(self) -> DemoCluster:
        """Where it runs."""
        return self.target.cluster

    @property
    def platform(self) -> Platform:
        """What can be asked of it."""
        return Platform(cluster=self.target.cluster, images=self.target.images)

    def require(self, *parts: Part) -> None:
        """Start parts that were not started yet.

        Raises
        ------
        Exception
            A part, or one that it needs, failed now or earlier; a note says where the logs of that time are.
        """
        for required in parts:
            if required not in self._failures:
                self.require(*required.needs)
                self._failures[required] = self._start(required)
            if (failure := self._failures[required]) is not None:
                raise failure.with_traceback(None)

    def forget(self, stopped: Part) -> None:
        """Have a part that was stopped start again when it is required; one that failed stays failed."""
        if self._failures.get(stopped) is None:
            self._failures.pop(stopped, None)

    def _start(self, required: Part) -> Exception | None:
        try:
            with self.progress.step((required.start.__doc__ or "").removesuffix(".")):
                if self.target.supply is not None:
                    self.target.supply.wait(required.images, self.progress.waiting)
                required.start(self)
        except Exception as failure:  # noqa: BLE001 # raised to all that require the part
            failure.add_note(f"all logs: {self.target.logs()}")
            return failure
        return None
