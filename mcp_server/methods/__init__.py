"""The methods of the protocol, each answered from the view of the request, however it came."""
