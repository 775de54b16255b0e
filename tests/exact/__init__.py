"""A slow and readable reference, and the tiny machines on which it can be afforded."""
