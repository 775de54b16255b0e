"""How fast, against the machine's own limit and against peers; ``python benchmarks/speed.py``."""
