"""What a column is; a table and its visible matrix beside `observed`."""
