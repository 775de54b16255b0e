"""The recommended model: an ensemble of machines trained to predict masked entries."""
