"""The sections of the page of a study, one file each, and what they share."""
