"""Programs whose code is unchanged have interceptors by PYTHONPATH alone, and are not hurt by that."""

from __future__ import annotations

from pathlib import Path

import pytest

from .injected import injected_folder, run_program

pytestmark = pytest.mark.slow

TELLING = """
from kwitness_interceptors import ProducerInterceptor

class Telling(ProducerInterceptor):
    def on_send(self, record):
        print("sent", record.value)
        return record

    def on_acknowledgement(self, metadata, exception):
        print("acknowledged", metadata.partition, metadata.serialized_value_size, exception)
"""
PRODUCING = """
from {module} import {name} as Producer
producer = Producer({{"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0,
                     "interceptor.classes": "telling.Telling", "kwitness.setting": "x"}})
producer.produce("orders", value="v", partition=0)
producer.flush(20)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return injected_folder(tmp_path_factory.mktemp("kwitness") / "python")


@pytest.fixture
def application(tmp_path: Path) -> Path:
    """A folder of the application's own."""
    (tmp_path / "telling.py").write_text(TELLING)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("confluent_kafka", "Producer"),
        ("confluent_kafka.cimpl", "Producer"),
        ("confluent_kafka", "SerializingProducer"),
        ("confluent_kafka.serializing_producer", "SerializingProducer"),
    ],
)
def test_a_client_is_intercepted_wherever_it_is_imported_from(
    folder: Path, application: Path, module: str, name: str
) -> None:
    done = run_program(PRODUCING.format(module=module, name=name), folder, application)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["sent v", "acknowledged 0 1 None"]


def test_subclasses_and_the_asyncio_producer_are_intercepted(folder: Path, application: Path) -> None:
    program = """
import asyncio
import confluent_kafka
from confluent_kafka.aio import AIOProducer
config = {"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0,
          "interceptor.classes": "telling.Telling"}

class Own(confluent_kafka.Producer):
    def __init__(self, more):
        super().__init__({**config, **more})

own = Own({"client.id": "own"})
own.produce("orders", "subclass", partition=0)
own.flush(20)

async def main():
    producer = AIOProducer(dict(config))
    delivered = await producer.produce("orders", value=b"asyncio", partition=0)
    await producer.flush()
    print((await delivered).value())
    await producer.close()

asyncio.run(main())
"""
    done = run_program(program, folder, application)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "sent subclass",
        "acknowledged 0 8 None",
        "sent b'asyncio'",
        "acknowledged 0 7 None",
        "b'asyncio'",
    ]


@pytest.mark.parametrize("options", [(), ("-S",), ("-I",), ("-E",)], ids=["off", "-S", "-I", "-E"])
def test_programs_that_are_not_to_be_reached_are_not(folder: Path, options: tuple[str, ...]) -> None:
    program = "import sys; print([name for name in sys.modules if name.startswith('kwitness')])"
    done = run_program(program, folder, options=options, environment={} if options else {"KWITNESS_OFF": "1"})

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[]", "")


def test_the_sitecustomize_that_is_hidden_is_run(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("marker = 'own'")
    program = "import sitecustomize, sys; print(sitecustomize.marker, 'kwitness_interceptors' in sys.modules)"

    assert run_program(program, folder, tmp_path).stdout.strip() == "own True"
    assert run_program(program, folder, tmp_path, environment={"KWITNESS_OFF": "1"}).stdout.strip() == "own False"


def test_one_that_fails_is_told_of_as_it_would_be_without_us(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("raise RuntimeError('own trouble')")
    done = run_program("print('runs')", folder, tmp_path)

    assert done.stdout.strip() == "runs"
    assert "own trouble" in done.stderr


def test_a_package_of_the_same_name_is_not_taken_for_ours(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "kwitness_interceptors.py").write_text("raise RuntimeError('shadow')")
    (tmp_path / "kafka.py").write_text("mine = True")
    program = "import kwitness_interceptors as one, kafka; print(one.__file__, kafka.mine)"
    done = run_program(program, tmp_path, folder)

    assert done.stdout.split() == [str(folder / "kwitness_interceptors/__init__.py"), "True"], done.stderr


def test_a_broken_folder_costs_a_line_and_nothing_else(tmp_path: Path) -> None:
    broken = injected_folder(tmp_path / "python")
    (broken / "kwitness_interceptors/import_hook.py").write_text("1/0")
    done = run_program("import sys; print([n for n in sys.modules if n.startswith('kwitness')])", broken)

    assert (done.returncode, done.stdout.strip()) == (0, "[]")
    assert "interceptors are not installed in this process (ZeroDivisionError" in done.stderr


def test_a_client_that_is_not_as_expected_is_left_as_it_is(folder: Path, tmp_path: Path) -> None:
    package = tmp_path / "aiokafka/producer"
    package.mkdir(parents=True)
    (tmp_path / "aiokafka/__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "producer.py").write_text("class AIOKafkaProducer:\n    pass\n")
    program = "from aiokafka.producer.producer import AIOKafkaProducer; AIOKafkaProducer(); print('runs')"
    done = run_program(program, folder, tmp_path)

    assert (done.returncode, done.stdout.strip()) == (0, "runs")
    assert "aiokafka.producer.producer has no interceptors in this process" in done.stderr


def test_a_module_shows_nothing_of_the_hook_but_its_hooks(folder: Path) -> None:
    program = """
import inspect, kafka.producer.kafka as module
print(type(module.__loader__).__name__, type(module.__spec__.loader).__name__)
print('class KafkaProducer' in inspect.getsource(module))
"""
    done = run_program(program, folder)

    assert done.stdout.split() == ["SourceFileLoader", "SourceFileLoader", "True"], done.stderr


def test_programs_without_clients_load_little_of_it(folder: Path) -> None:
    program = """
import sys
print([name for name in ("asyncio", "http.client", "json", "logging", "ssl", "tempfile") if name in sys.modules])
"""

    assert run_program(program, folder).stdout.strip() == "[]"


def test_share_consumers_are_left_alone(folder: Path) -> None:
    program = """
import confluent_kafka
print(hasattr(confluent_kafka.ShareConsumer, "_kwitness_intercepted"), confluent_kafka.Consumer._kwitness_intercepted)
"""

    assert run_program(program, folder).stdout.split() == ["False", "True"]
