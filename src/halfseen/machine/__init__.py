"""The mathematics of the machine, as pure functions."""
