"""Dataset benchmarks: cases of a file against a model or a deployed system, graded one by one."""
