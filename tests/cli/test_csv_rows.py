"""CSV: each row is a line for all texts, and a spreadsheet runs none of them."""

from __future__ import annotations

import csv
import io
from contextlib import redirect_stdout
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from kwitness.answers.views.csv_rows import model_columns, write_csv
from kwitness.cli.options import Options
from kwitness.cli.output import Output


class Inner(BaseModel):
    team: str
    contact: str | None = None


class Outer(BaseModel):
    name: str
    owner: Inner | None = None
    others: tuple[Inner, ...] = ()


def written(rows: list[dict[str, Any]], *columns: tuple[str, ...]) -> str:
    with redirect_stdout(io.StringIO(newline="")) as out:
        write_csv(rows, columns)
    return out.getvalue()


def test_an_inner_model_has_columns_of_its_own_and_a_list_has_one() -> None:
    assert model_columns(Outer) == [("name",), ("owner", "team"), ("owner", "contact"), ("others",)]


def test_lines_end_and_cells_are_quoted_as_in_rfc_4180() -> None:
    assert written([{"a": 'say "x", then y', "b": None}]) == 'a,b\r\n"say ""x"", then y",\r\n'


def test_without_columns_all_fields_of_all_rows_are_there_in_their_order() -> None:
    rows = [{"a": 1, "b": {"c": True}}, {"b": {"d": [1, "x"]}, "e": [{"f": 1}], "g": {}}]

    assert written(rows) == 'a,b.c,b.d,e,g\r\n1,true,,,\r\n,,"1, x","[{""f"": 1}]",{}\r\n'


def test_no_rows_and_no_columns_are_nothing() -> None:
    assert written([]) == ""


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=\x1b"])
def test_text_that_a_spreadsheet_would_run_is_marked(text: str) -> None:
    assert written([{"a": text}], ("a",)).splitlines()[1].strip('"').startswith("'")


def test_documents_of_one_output_have_one_header(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(Options(output="csv"))
    for number in range(2):
        output.document({"items": [{"a": number}]}, refresh=number)

    assert capsys.readouterr().out == "a\r\n0\r\n1\r\n"


def test_titles_are_marked_and_escaped_too() -> None:
    assert written([{"=a\n": 1}]) == "'=a\\n\r\n1\r\n"


@pytest.mark.parametrize("number", [-1, 0, -0.5, 1e300, 2**62])
def test_numbers_stay_numbers(number: float) -> None:
    assert written([{"a": number}], ("a",)) == f"a\r\n{number!r}\r\n"


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_each_row_is_one_printable_line_that_reads_back(texts: list[str]) -> None:
    columns = [(f"c{number}",) for number in range(len(texts))]
    lines = written([{path[0]: text for path, text in zip(columns, texts, strict=True)}], *columns).split("\r\n")

    assert len(lines) == 3
    assert all(map(str.isprintable, lines))
    [cells] = csv.reader([lines[1]])
    for cell, text in zip(cells, texts, strict=True):
        assert cell[:1] not in {"=", "+", "-", "@"}
        assert not text.isprintable() or cell.removeprefix("'" if text[:1] in {"=", "+", "-", "@"} else "") == text
