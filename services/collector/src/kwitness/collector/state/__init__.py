"""What must outlive the process: accumulators, sequence numbers, records of clients, software seen."""
