"""Uses the SDK to answer messages in forms that only the SDK supports. This package is imported on first use."""
