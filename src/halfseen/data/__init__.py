"""A table in memory: columns, their types, visible units, and the containers they come in."""
