"""The toolset `devops-pull-requests`, of several files."""

from tools.azure_devops.pull_requests import changes, comments, completion, linked_items, lists, requests, reviews

parts = (lists.part, requests.part, completion.part, reviews.part, comments.part, linked_items.part, changes.part)
