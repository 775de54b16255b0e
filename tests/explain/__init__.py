"""Tests of halfseen.explain."""
