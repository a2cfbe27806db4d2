"""interceptors.json: what the operator may write is what interceptors of all runtimes read."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from kwitness.contracts.interceptor_settings import InterceptorSettings, is_selected
from kwitness.contracts.observer_settings import settings_hash

from tests.vectors import vectors

[EVERYTHING, *_] = vectors("interceptor_settings", "valid")


@pytest.mark.parametrize("vector", vectors("interceptor_settings", "valid"), ids=lambda one: one["name"])
def test_settings_are_read_and_written_alike(vector) -> None:
    settings = InterceptorSettings.model_validate(vector["settings"])

    written = settings.model_dump(mode="json")
    assert InterceptorSettings.model_validate(written) == settings
    # Rules of headers are written without their defaults.
    assert written | {"headers": None} == vector["settings"] | {"headers": None}


@pytest.mark.parametrize("vector", vectors("interceptor_settings", "defaults"))
def test_what_is_left_out_has_its_usual_value(vector) -> None:
    settings = InterceptorSettings.model_validate(vector["settings"])

    assert settings == InterceptorSettings.model_validate(vector["means"])


@pytest.mark.parametrize("vector", vectors("interceptor_settings", "refused"), ids=lambda one: repr(one["change"])[:60])
def test_settings_that_are_wrong_are_refused_with_the_name_of_the_field(vector) -> None:
    with pytest.raises(ValidationError) as refused:
        InterceptorSettings.model_validate({**EVERYTHING["settings"], **vector["change"]})

    assert {str(issue["loc"][0]) for issue in refused.value.errors()} == {vector["field"]}


@pytest.mark.parametrize("vector", vectors("interceptor_settings", "hashes"))
def test_a_file_is_named_by_a_hash_of_its_bytes(vector) -> None:
    assert settings_hash(vector["text"]) == vector["hash"]


@pytest.mark.parametrize("vector", vectors("interceptor_settings", "selected"))
def test_a_topic_is_included_by_its_name_or_what_it_begins_with(vector) -> None:
    assert is_selected(vector["topic"], tuple(vector["topics"])) is vector["selected"]
