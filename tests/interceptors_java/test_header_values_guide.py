"""The Java of the guide to header values compiles with the constants that it generates, with old and new clients."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from kwitness.cli.__main__ import main
from kwitness.images.image_parts import REPOSITORY, maven_package
from kwitness.sandbox.waiting import run_to_end

from tests.interceptors_java.conftest import clients

GUIDE = (REPOSITORY / "docs/guides/header-values.md").read_text()
(REGISTER,) = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
(PROGRAM,) = re.findall(r"^```java\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
(COMMAND,) = re.findall(r"^    kwitness (.* java .*)$", GUIDE, re.MULTILINE)
RUN = """
import com.example.shop.Orders;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Shows what a consumer of the guide's record shows. */
public final class Run {
    public static void main(String[] arguments) {
        UUID order = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");
        ProducerRecord<String, byte[]> sent = Orders.record(order, new byte[0]);
        ConsumerRecord<String, byte[]> got = new ConsumerRecord<>("orders", 0, 0, null, new byte[0]);
        System.out.println(Orders.show(got));
        sent.headers().forEach(got.headers()::add);
        System.out.println(Orders.show(got));
    }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.8.2", "4.3.1"])
def test_the_guides_class_compiles_and_reads_what_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    jar = maven_package(REPOSITORY / "services" / "headers-java") / "kwitness-headers.jar"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.yaml").write_text(REGISTER)
    (tmp_path / "Orders.java").write_text(PROGRAM)
    (tmp_path / "Run.java").write_text(RUN)
    assert main(shlex.split(COMMAND)) == 0

    path = f"{jar}:{clients(version)}:{tmp_path}"
    lint = ["-Xlint:all,-classfile,-path", "-Werror", "-encoding", "UTF-8"]
    compiled = run_to_end(["javac", *lint, "-cp", path, "-d", tmp_path, *tmp_path.glob("*.java")])
    assert (compiled.returncode, compiled.stderr) == (0, "")
    shown = run_to_end(["java", "-cp", path, "Run"], check=True)

    assert shown.stdout.splitlines() == ["unknown null", "checkout 0f8fad5b-d9cb-469f-a165-70867728950e"]
