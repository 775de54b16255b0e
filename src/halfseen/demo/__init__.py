"""The demonstration on scikit-learn's digits."""
