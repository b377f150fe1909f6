"""Carries out the steps of a Dockerfile without a container engine."""
