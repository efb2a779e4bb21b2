"""What changed before something broke: events of many sources, joined, linked with what is meant, and ranked."""
