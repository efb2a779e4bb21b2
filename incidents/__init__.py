"""Finds the changes before an application broke: joins, links and ranks events from many sources."""
