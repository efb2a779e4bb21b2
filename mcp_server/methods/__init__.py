"""The methods of the protocol. Each uses the view of the request, and does not depend on the transport."""
