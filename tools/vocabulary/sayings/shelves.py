"""How people and agents ask for what is kept for each other at addresses."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_shelf": (
        "what is on the shelf, list the shelf, which files do agents keep here, what did other agents leave for me, "
        "list kept files by address, which resources are kept here"
    ),
    "read_resource": (
        "read file docs readme md from the shelf, read what the other agent left at this address, read a kept "
        "resource by its uri, open the kept note of the run, read a record by its cosmos address"
    ),
    "write_resource": (
        "write a note to the shelf, leave this text for the next agent, keep this file at an address, write over the "
        "kept resource with its etag, save this report on the shelf"
    ),
    "delete_resource": (
        "remove the note from the shelf, remove the kept file at this address, take the report off the shelf, delete "
        "the kept resource by its uri"
    ),
}
