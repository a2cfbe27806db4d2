"""KIP-388's Observer: the interface for classes of one's own, and the host that calls them for requests and responses.

What is named here is public, with `kwitness.observer.testing` and the two classes of `kwitness.observer.examples`. A
class knows nothing of the host, and the host knows a class by its name alone.
"""

from kwitness.observer.interface import Observer
from kwitness.observer.views import ApiKey, PartitionData, Request, Response, Struct, UnknownFieldError

__all__ = ["ApiKey", "Observer", "PartitionData", "Request", "Response", "Struct", "UnknownFieldError"]
