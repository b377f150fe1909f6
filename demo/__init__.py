"""Show: the outside world in miniature, for `make demo` and the tests."""
