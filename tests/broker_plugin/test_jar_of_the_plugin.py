"""The jar runs on the oldest Java a supported broker may use, and brings nothing along."""

from __future__ import annotations

import struct
import zipfile

from kwitness.devtools.reference import BROKER_PLUGIN_PAGE, broker_plugin_page

_JAVA_11 = 55


def test_every_class_is_java_11_byte_code(jar):
    with zipfile.ZipFile(jar) as archive:
        classes = [name for name in archive.namelist() if name.endswith(".class")]
        versions = {struct.unpack(">4xHH", archive.read(name)[:8])[1] for name in classes}
    assert versions == {_JAVA_11}


def test_the_jar_holds_our_package_and_nothing_else(jar):
    with zipfile.ZipFile(jar) as archive:
        files = [name for name in archive.namelist() if not name.endswith("/")]
    assert {name.rpartition("/")[0] for name in files} == {"META-INF", "dev/kwitness/broker"}


def test_the_reference_page_is_fresh():
    assert BROKER_PLUGIN_PAGE.read_text() == broker_plugin_page()
