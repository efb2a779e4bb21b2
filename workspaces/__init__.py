"""Git without a disk: packs and a small state in a file store, so that any instance can continue."""
