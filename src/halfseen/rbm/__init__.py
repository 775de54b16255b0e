"""The paper: a restricted Boltzmann machine for incomplete tables (RBM-MO)."""
