"""Exact tests of the mathematics of the machine."""
