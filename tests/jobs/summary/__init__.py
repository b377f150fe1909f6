"""Tests of `jobs.summary`."""
