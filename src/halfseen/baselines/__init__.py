"""Methods to compare against, one file each, behind one small protocol."""
