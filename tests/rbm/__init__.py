"""The room of the paper: exact mathematics on machines small enough to enumerate."""
