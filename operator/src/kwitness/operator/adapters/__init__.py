"""The only code that talks to anything outside: the API server, a Kafka cluster, a collector, a driver.

Each adapter turns the exceptions of its library into ours (`errors`) at the seam and decides nothing.
"""
