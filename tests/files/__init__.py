"""Tests of table files."""
