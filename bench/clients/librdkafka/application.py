"""Has the application of librdkafka work as it is told: APPLICATION LIBRDKAFKA PLUGIN BOOTSTRAP WRITTEN READ VALUE_BYTES.

Without interceptors PLUGIN is empty. A line of the input is a kind of work and a number of records; the answer says the
processor's time of the process in seconds, and how long it took; of works that call hooks alone, their time.
"""

import ctypes
import json
import sys
import time

WRITTEN, READ = (argument.encode() for argument in sys.argv[5:7])
VALUE_BYTES = int(sys.argv[7])
application = ctypes.CDLL(sys.argv[1])
application.produce_hooks.restype = application.consume_hooks.restype = ctypes.c_uint64
application.begin(*(argument.encode() for argument in sys.argv[2:5]))

WORKS = {
    "fill": lambda records: application.produce(READ, records, VALUE_BYTES),
    "produce": lambda records: application.produce(WRITTEN, records, VALUE_BYTES),
    "consume": lambda records: application.consume(READ, records),
    "produce_hooks": lambda records: application.produce_hooks(WRITTEN, records, VALUE_BYTES),
    "consume_hooks": lambda records: application.consume_hooks(READ, records),
}
for line in sys.stdin:
    work, records = line.split()
    cpu, began = time.process_time(), time.perf_counter()
    took_ns = WORKS[work](int(records))
    answer = {"cpu_s": time.process_time() - cpu, "seconds": time.perf_counter() - began}
    if work.endswith("_hooks"):
        answer["cpu_s"] = took_ns / 1e9
    print(json.dumps(answer), flush=True)
application.end()
