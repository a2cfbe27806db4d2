"""What observers are tested to answer to clients' telemetry is what Kafka's own class answers."""

from __future__ import annotations

import json
from pathlib import Path

from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.images.image_parts import REPOSITORY
from kwitness.sandbox.waiting import run_to_end

from tests.observer.client_programs import CLIENTS, NEWEST, SMALL_JVM, java_classpath

VECTORS = REPOSITORY / "contracts/vectors/telemetry_answers.json"


def test_kafka_answers_as_the_vectors_say() -> None:
    said = VECTORS.read_text()
    unanswered = json.loads(said)
    for conversation in unanswered["conversations"]:
        for step in conversation["steps"]:
            step.pop("answer", None)
    classpath = java_classpath(CLIENTS / "telemetry", NEWEST, Path(kafka_jars(NEWEST)))
    command = ["java", *SMALL_JVM, "-cp", classpath, "AnswerTelemetry"]

    done = run_to_end(command, input_text=json.dumps(unanswered))

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(said)
