"""What changed before something broke: events from many sources, joined, linked to the subject, and ranked."""
