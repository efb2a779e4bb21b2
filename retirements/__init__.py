"""What Azure retires, and what of it concerns what somebody runs."""
