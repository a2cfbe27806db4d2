"""The benchmarks' program: `make bench`. The benchmarks themselves are programs in `bench/benchmarks`."""
