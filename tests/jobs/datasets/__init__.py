"""Tests of dataset benchmarks."""
