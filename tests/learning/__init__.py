"""Training: its gradients against enumeration, its loop against what it promises."""
