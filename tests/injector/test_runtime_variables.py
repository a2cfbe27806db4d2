"""Variables of runtimes beside what containers have in them."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.injector.decision.runtime_variables import with_interceptors

from tests.injector.interceptor_samples import interceptors

AGENT = "-javaagent:/kwitness/java/kwitness-interceptors.jar"


def environment(
    runtimes: set[str], container: dict[str, Any], annotations: dict[str, str] | None = None, **changes: Any
) -> Any:
    found = with_interceptors(
        {"name": "app", **container}, interceptors(**changes), frozenset(runtimes), annotations or {}
    )
    return found if isinstance(found, str) else [one for one in found if not is_ours(one["name"])]


def is_ours(name: str) -> bool:
    return name.startswith("KWITNESS_") and not name.startswith("KWITNESS_OWN_")


def shown(name: str, value: str | None) -> dict[str, Any]:
    return {"env": [{"name": name} if value is None else {"name": name, "value": value}]}


@pytest.mark.parametrize(
    ("own", "annotated", "expected"),
    [
        ({}, None, "/kwitness/python"),
        (shown("PYTHONPATH", None), None, "/kwitness/python"),
        (shown("PYTHONPATH", ""), None, "/kwitness/python"),
        (shown("PYTHONPATH", "/app:/lib"), None, "/kwitness/python:/app:/lib"),
        (shown("PYTHONPATH", "$(ROOT)/app"), None, "/kwitness/python:$(ROOT)/app"),
        ({}, "/app", "/kwitness/python:/app"),
        ({}, "", "/kwitness/python"),
        (shown("PYTHONPATH", "/app"), "/of/the/image", "/kwitness/python:/app"),
        ({"envFrom": [{"configMapRef": {"name": "app"}}]}, None, "/kwitness/python:$(PYTHONPATH)"),
        ({"envFrom": [{"configMapRef": {"name": "app"}}]}, "/app", "/kwitness/python:/app"),
    ],
)
def test_our_folder_comes_before_those_of_the_pod_or_its_image(own, annotated, expected):
    annotations = {} if annotated is None else {"kwitness.dev/python-path": annotated}

    assert environment({"python"}, own, annotations) == [{"name": "PYTHONPATH", "value": expected}]


@pytest.mark.parametrize(
    ("own", "annotated", "expected"),
    [
        ({}, None, AGENT),
        (shown("JAVA_TOOL_OPTIONS", "   "), None, AGENT),
        (shown("JAVA_TOOL_OPTIONS", "-Xmx1g -javaagent:/otel.jar"), None, f"-Xmx1g -javaagent:/otel.jar {AGENT}"),
        ({}, "-Xmx1g", f"-Xmx1g {AGENT}"),
        ({"envFrom": [{"configMapRef": {"name": "app"}}]}, "", AGENT),
    ],
)
def test_our_agent_comes_after_the_options_of_the_pod_or_its_image(own, annotated, expected):
    annotations = {} if annotated is None else {"kwitness.dev/java-tool-options": annotated}

    assert environment({"java"}, own, annotations) == [{"name": "JAVA_TOOL_OPTIONS", "value": expected}]


def test_the_agent_goes_into_the_variable_that_the_profile_names():
    found = environment({"java"}, shown("JAVA_TOOL_OPTIONS", "-Xmx1g"), java_variable="JDK_JAVA_OPTIONS")

    assert found == [
        {"name": "JAVA_TOOL_OPTIONS", "value": "-Xmx1g"},
        {"name": "JDK_JAVA_OPTIONS", "value": AGENT},
    ]


def test_a_value_that_is_kept_elsewhere_is_referred_to_under_another_name():
    source = {"configMapKeyRef": {"name": "app", "key": "path"}}
    before = [{"name": "FIRST", "value": "1"}, {"name": "PYTHONPATH", "valueFrom": source}, {"name": "LAST"}]

    assert environment({"python"}, {"env": before}) == [
        {"name": "FIRST", "value": "1"},
        {"name": "KWITNESS_OWN_PYTHONPATH", "valueFrom": source},
        {"name": "PYTHONPATH", "value": "/kwitness/python:$(KWITNESS_OWN_PYTHONPATH)"},
        {"name": "LAST"},
    ]


def test_of_several_variables_with_one_name_the_last_one_counts():
    before = [{"name": "PYTHONPATH", "value": "/a"}, {"name": "PYTHONPATH", "value": "$(PYTHONPATH):/b"}]

    assert environment({"python"}, {"env": before}) == [
        {"name": "PYTHONPATH", "value": "/a"},
        {"name": "PYTHONPATH", "value": "/kwitness/python:$(PYTHONPATH):/b"},
    ]


@pytest.mark.parametrize(
    ("runtime", "container", "reason"),
    [
        # A JVM that is given a reference to nothing does not start.
        ("java", {"envFrom": [{"secretRef": {"name": "app"}}]}, "VariableUnknown"),
        (
            "java",
            {
                "env": [
                    {
                        "name": "JAVA_TOOL_OPTIONS",
                        "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b", "optional": True}},
                    }
                ]
            },
            "VariableUnknown",
        ),
        (
            "python",
            {
                "env": [
                    {"name": "PYTHONPATH", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b", "optional": True}}}
                ]
            },
            "VariableUnknown",
        ),
        (
            "python",
            {
                "env": [
                    {"name": "KWITNESS_OWN_PYTHONPATH", "value": "/mine"},
                    {"name": "PYTHONPATH", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}},
                ]
            },
            "NameTaken",
        ),
        ("python", {"env": [{"name": "KWITNESS_INTERCEPTORS", "value": "/by/hand.json"}]}, "NameTaken"),
    ],
)
def test_variables_that_could_break_an_application_are_left_alone(runtime, container, reason):
    assert environment({runtime}, container) == reason


def test_a_plugin_of_librdkafka_changes_no_variable_of_the_application():
    assert environment({"librdkafka"}, shown("LD_PRELOAD", "/app/lib.so")) == [
        {"name": "LD_PRELOAD", "value": "/app/lib.so"}
    ]


def test_programs_are_told_settings_pod_and_container_before_anything_else():
    found = with_interceptors({"name": "app", "env": [{"name": "A", "value": "1"}]}, interceptors(), frozenset(), {})

    assert found == [
        {"name": "KWITNESS_INTERCEPTORS", "value": "/etc/kwitness/interceptors/interceptors.json"},
        {
            "name": "KWITNESS_POD_NAMESPACE",
            "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}},
        },
        {"name": "KWITNESS_POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
        {"name": "KWITNESS_CONTAINER", "value": "app"},
        {"name": "A", "value": "1"},
    ]


@pytest.mark.parametrize(
    "container",
    [
        {},
        shown("PYTHONPATH", "/app"),
        {"env": [{"name": "PYTHONPATH", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b"}}}]},
        shown("JAVA_TOOL_OPTIONS", "-Xmx1g"),
    ],
)
def test_merging_again_changes_nothing(container):
    first = with_interceptors({"name": "app", **container}, interceptors(), frozenset({"python", "java"}), {})
    assert isinstance(first, list)

    assert with_interceptors({"name": "app", "env": first}, interceptors(), frozenset({"python", "java"}), {}) == first
