"""What the chart tells the operator: wrong settings are named, and every setting has its line in the reference."""

from __future__ import annotations

import json

import pytest

from kwitness.devtools.reference import OPERATOR_PAGE, operator_page
from kwitness.operator.settings import OperatorSettings, load_settings
from kwitness.runtime.settings_file import SettingsError

GOOD = {"namespace": "a", "watchNamespaces": ["a"], "images": {"collector": "x"}}


def storage(**settings: object) -> str:
    return json.dumps({**GOOD, "analytics": {"storage": settings}})


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{", "not JSON"),
        ("{}", "namespace"),
        (json.dumps({**GOOD, "watchNamespaces": ["*", "b"]}), "'\\*' means every"),
        (json.dumps({**GOOD, "typo": 1}), "typo"),
        (json.dumps({**GOOD, "installation": "A.b"}), "installation"),
        (storage(settings={"fs.s3a.secret.key": "canary"}), "settings.fs.s3a.secret.key is a secret"),
        (storage(settings={"fs.azure.account.key.a.example": "canary"}), "is a secret, and settings are shown"),
        (storage(settings={"spark.master": "local"}), "settings.spark.master is no setting of a file system"),
        (storage(webIdentity={"roleArn": "arn:aws:x"}), "roleArn needs region"),
        (storage(keysSecret="a", webIdentity={"roleArn": "arn:aws:x"}), "two identities: give one"),
        (json.dumps({**GOOD, "limits": {"minInterval": "soon"}}), "limits: .*soon"),
        (json.dumps({**GOOD, "limits": {"maxExecutorMemory": "7x"}}), "limits: .*7x"),
        (json.dumps({**GOOD, "limits": {"maxExecutorCores": 0}}), "limits.maxExecutorCores"),
        (json.dumps({**GOOD, "statusSeconds": 0}), "statusSeconds"),
    ],
)
def test_wrong_settings_name_the_file_and_the_field(tmp_path, text, hint):
    path = tmp_path / "settings.json"
    path.write_text(text)
    with pytest.raises(SettingsError, match=hint) as caught:
        load_settings(path)
    assert str(path) in str(caught.value)
    assert "canary" not in str(caught.value)


def test_settings_say_which_namespaces_are_watched():
    some = OperatorSettings.model_validate(GOOD)
    every = some.model_copy(update={"watch_namespaces": ["*"]})
    assert (some.watches("a"), some.watches("b"), every.watches("b")) == (True, False, True)


def test_the_reference_page_is_fresh_and_has_every_setting():
    page = operator_page()
    assert OPERATOR_PAGE.read_text() == page
    for name, value in OperatorSettings.model_validate(GOOD).model_dump(by_alias=True).items():
        grouped = name in {"images", "pods", "collector", "observer", "injector", "analytics", "limits", "credentials"}
        for path in [f"{name}.{inner}" for inner in value] if grouped else [name]:
            assert f"| `{path}` |" in page or f"| `{path}." in page
