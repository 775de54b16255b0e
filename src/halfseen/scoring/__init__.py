"""Scores, scorers and splitters that skip what is unknown."""
