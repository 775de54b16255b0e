"""Studies: data sets, hiding entries, comparisons."""
