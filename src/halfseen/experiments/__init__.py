"""Studies: data sets, hiding entries, plans and their runs."""
