"""The methods of the protocol. Each answers from the view of the request, whatever its transport."""
