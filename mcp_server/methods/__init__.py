"""The methods of the protocol. Methods use the caller's view, and do not depend on the transport."""
