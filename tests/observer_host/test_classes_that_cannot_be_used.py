"""What is wrong with a class is said once and clearly: which class, what, and what to do."""

from __future__ import annotations

import pytest

from kwitness.observer.loading import UnusableObserverError, make_observer

SAMPLES = "tests.observer_host.sample_observers"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Orders", "'Orders' is no full name of a class: write it with its module, such as shop.audit.Orders"),
        (
            "shop.audit.Orders",
            (
                "the module of shop.audit.Orders cannot be imported (ModuleNotFoundError: No module named 'shop'):"
                " install it in the image of the host, or correct className"
            ),
        ),
        (f"{SAMPLES}.Orders", f"module {SAMPLES} has no class Orders: correct className, or the module"),
        (
            f"{SAMPLES}.NoObserver",
            f"{SAMPLES}.NoObserver is no subclass of kwitness.observer.Observer: derive the class from it",
        ),
        (
            f"{SAMPLES}.a_function",
            f"{SAMPLES}.a_function is no subclass of kwitness.observer.Observer: derive the class from it",
        ),
        (f"{SAMPLES}.HalfWritten", f"{SAMPLES}.HalfWritten does not implement record_request: write these methods"),
        (
            f"{SAMPLES}.WithArguments",
            (
                f"the constructor of {SAMPLES}.WithArguments takes arguments (missing a required argument: 'table'):"
                " observers are made without any; take settings in configure"
            ),
        ),
        (
            f"{SAMPLES}.BrokenConstructor",
            f"the constructor of {SAMPLES}.BrokenConstructor raised ConnectionError: nobody answers: correct the class",
        ),
        (
            f"{SAMPLES}.Demanding",
            (
                f"configure of {SAMPLES}.Demanding raised ValueError: no table: set table; it was given the keys"
                " tables: correct config of the observer"
            ),
        ),
    ],
)
def test_the_message_names_input_reason_and_remedy(name: str, said: str) -> None:
    with pytest.raises(UnusableObserverError) as refused:
        make_observer(name, {"tables": "secret-looking"})

    assert str(refused.value) == said


def test_a_module_that_ends_the_process_while_it_is_imported_ends_nothing() -> None:
    with pytest.raises(UnusableObserverError, match=r"\(SystemExit: 3\)"):
        make_observer("tests.observer_host.module_that_exits.Orders", {})


def test_one_that_is_given_what_it_wants_is_used() -> None:
    assert type(make_observer(f"{SAMPLES}.Demanding", {"table": "orders"})).__name__ == "Demanding"
