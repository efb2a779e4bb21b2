"""Imitates where Application Insights has telemetry sent."""
