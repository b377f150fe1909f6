"""Tests of `jobs.sync`."""
