"""The methods of the protocol. Each method uses the view of the request, and does not depend on the transport."""
