"""observer.json: what the operator may write is what the observer reads; the same examples run in Rust."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from kwitness.contracts.observer_settings import ObserverSettings, settings_hash

from tests.vectors import vectors


@pytest.mark.parametrize("vector", vectors("observer_settings", "valid"), ids=lambda one: one["name"])
def test_settings_are_read_and_written_alike(vector) -> None:
    settings = ObserverSettings.model_validate(vector["settings"])

    written = settings.model_dump(mode="json")
    assert ObserverSettings.model_validate(written) == settings
    # Rules of headers are written without their defaults.
    written["report"]["headers"] = vector["settings"]["report"]["headers"]
    assert written == vector["settings"]


@pytest.mark.parametrize("vector", vectors("observer_settings", "refused"), ids=lambda one: one["field"])
def test_settings_that_are_wrong_are_refused_with_the_name_of_the_field(vector) -> None:
    with pytest.raises(ValidationError) as refused:
        ObserverSettings.model_validate(vector["settings"])

    assert vector["field"] in {str(part) for issue in refused.value.errors() for part in issue["loc"]}


@pytest.mark.parametrize("vector", vectors("observer_settings", "hashes"))
def test_a_file_is_named_by_a_hash_of_its_bytes(vector) -> None:
    assert settings_hash(vector["text"]) == vector["hash"]
