"""Tests of the ways of grading."""
