"""What must outlive the process: accumulators, sequence numbers, records of clients, the memory of software."""
