"""What Azure retires, and which resources that affects."""
