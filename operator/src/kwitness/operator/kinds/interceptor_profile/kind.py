"""InterceptorProfile as the engine sees it, and the injections of all of them, which are one unit."""

from __future__ import annotations

from typing import Final

from kwitness.operator.kinds.interceptor_profile import compiled
from kwitness.operator.kinds.interceptor_profile.decide import decide
from kwitness.operator.kinds.interceptor_profile.needs import KIND, needs
from kwitness.operator.shapes.work import KindSpec, Unit

__all__ = ["INTERCEPTOR_INJECTIONS", "INTERCEPTOR_PROFILE"]

_NAME: Final = "Interceptors"

INTERCEPTOR_PROFILE: Final = KindSpec(kind=KIND, unit=lambda key: Unit(KIND, key), needs=needs, decide=decide)
INTERCEPTOR_INJECTIONS: Final = KindSpec(
    kind=_NAME, unit=lambda key: Unit(_NAME, key), needs=compiled.needs, decide=compiled.decide
)
