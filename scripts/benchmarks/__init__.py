"""What an answer costs, next to the plain SDK in the same run."""
