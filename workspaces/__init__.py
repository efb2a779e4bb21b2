"""Git without a disk: packs and a small state in a store of files, so that any instance goes on from them."""
