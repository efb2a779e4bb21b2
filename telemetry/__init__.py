"""The app's telemetry: traces and metrics."""
