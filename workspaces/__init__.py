"""Git without a local disk: file storage contains the packs and the state, so that any instance can continue."""
