"""What the injector is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kwitness.devtools.reference import INJECTOR_PAGE, injector_page
from kwitness.injector.settings import load_settings
from kwitness.runtime.settings_file import SettingsError

OWN = {"secret": "s", "webhookConfiguration": "w", "names": ["n"]}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no certificate": ({}, "certificate: Value error, name a folder, or a secret with webhookConfiguration and names"),
    "two certificates": ({**OWN, "folder": "/f"}, "name a folder, or a secret"),
    "a Secret alone": ({"secret": "s"}, "name a folder, or a secret"),
    "an unknown setting": ({**OWN, "life": 1}, "certificate.life: Extra inputs"),
}


@pytest.mark.parametrize(("certificate", "said"), WRONG.values(), ids=WRONG)
def test_wrong_settings_are_named_with_file_and_reason(tmp_path: Path, certificate, said) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"namespace": "a", "certificate": certificate}))

    with pytest.raises(SettingsError) as refused:
        load_settings(path)

    assert str(refused.value).startswith(f"{path}: ")
    assert said in str(refused.value)


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), ("{", "not JSON")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content, said) -> None:
    path = tmp_path / "settings.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(SettingsError, match=said):
        load_settings(path)


def test_every_setting_is_in_the_reference() -> None:
    assert INJECTOR_PAGE.read_text() == injector_page()
