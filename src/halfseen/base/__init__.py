"""What both families of estimators share."""
