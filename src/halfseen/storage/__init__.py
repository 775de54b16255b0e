"""Files on disk: arrays and a document under one seal."""
