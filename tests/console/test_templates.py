"""Checks how templates find columns of rows."""

from __future__ import annotations

from kwitness.console.pages.templates import Templates


def test_a_key_that_is_called_as_a_method_hides_no_method() -> None:
    template = Templates()._environment.from_string(
        "{{ row.name }}: {% for name, value in row.items() %}{{ name }}={{ value }} {% endfor %}{{ row['items'] }}"
    )

    assert template.render(row={"name": "orders", "items": 1, "get": 2}) == "orders: name=orders items=1 get=2 1"
