"""What the app tells of itself: traces and metrics."""
