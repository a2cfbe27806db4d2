"""A test kit for observers: recorded requests and responses, given to a class as the host would."""

from kwitness.observer.testing.replay import RECORDED, read_events, replay

__all__ = ["RECORDED", "read_events", "replay"]
