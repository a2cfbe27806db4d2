"""Pictures of the guides: what a query on a real table gives, as bars."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.devtools.table_picture import bars, picture

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.slow
def test_a_query_is_drawn_to_scale(tmp_path: Path) -> None:
    rows = pa.table({"topic": ["a<b", "a<b", "c"], "api": ["Produce", "Fetch", "Fetch"], "records": [30, 10, 20]})
    write_deltalake(str(tmp_path / "tables/traffic/table"), rows)
    query = "SELECT topic, api, records FROM traffic"
    command = [sys.executable, "-m", "kwitness.devtools.table_picture", str(tmp_path / "tables"), query]

    subprocess.run([*command, str(tmp_path / "picture.svg"), "--title", "Records"], check=True)

    drawn = ET.parse(tmp_path / "picture.svg").getroot()  # noqa: S314 - written by the line above
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    wide, narrow, half, *legend = [float(one.attrib["width"]) for one in drawn.iter(f"{SVG}rect")]
    assert texts == ["Records", "a<b", "40", "c", "20", "Produce", "Fetch"]
    assert (wide / narrow, half / (wide + narrow)) == (pytest.approx(3, rel=0.01), pytest.approx(0.5, rel=0.01))
    assert len(legend) == 2


def test_what_is_no_label_and_number_is_refused() -> None:
    with pytest.raises(ValueError, match="give a label, a part if there are any, and a number"):
        bars([("a", "b")])


def test_no_rows_are_an_empty_picture() -> None:
    assert ET.fromstring(picture("Nothing", [])).attrib["viewBox"] == "0 0 860 44"  # noqa: S314
