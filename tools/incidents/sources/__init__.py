"""The event sources. Each source reads only data that one of the tools would show to the caller."""
