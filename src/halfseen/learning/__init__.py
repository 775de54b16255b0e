"""How a machine is trained: objectives, trainer, stopping, history."""
