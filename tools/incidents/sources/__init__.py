"""The event sources. Each source reads only data that the caller could also read with another tool."""
