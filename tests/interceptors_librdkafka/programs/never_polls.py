"""A producer of librdkafka's C interface without a callback that never polls; says how much waits for it: PLUGIN."""

import ctypes
import sys
from pathlib import Path

import confluent_kafka

[library] = (Path(confluent_kafka.__file__).parents[1] / "confluent_kafka.libs").glob("librdkafka*")
librdkafka = ctypes.CDLL(str(library))
for name in ("rd_kafka_conf_new", "rd_kafka_new", "rd_kafka_topic_new"):
    getattr(librdkafka, name).restype = ctypes.c_void_p
conf = ctypes.c_void_p(librdkafka.rd_kafka_conf_new())
error = ctypes.create_string_buffer(512)
for key, value in ((b"test.mock.num.brokers", b"1"), (b"plugin.library.paths", sys.argv[1].encode())):
    assert librdkafka.rd_kafka_conf_set(conf, key, value, error, len(error)) == 0, error.value
producer = ctypes.c_void_p(librdkafka.rd_kafka_new(0, conf, error, len(error)))
assert producer.value, error.value
topic = ctypes.c_void_p(librdkafka.rd_kafka_topic_new(producer, b"orders", None))
payload = ctypes.c_char_p(b"v")
copied, any_partition = 2, -1
assert librdkafka.rd_kafka_produce(topic, any_partition, copied, payload, ctypes.c_size_t(1), None, 0, None) == 0
sys.stdin.read()
print(librdkafka.rd_kafka_outq_len(producer))
