"""The sections of the report on a model, one file each."""
