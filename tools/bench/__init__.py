"""Parts of the benchmarks that are too long for one file."""
