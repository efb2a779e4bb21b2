"""The toolset `devops-pull-requests`: pull requests, their comments, reviews and merges."""

from tools.azure_devops.pull_requests import changed_files, comments, completion, linked_items, lists, requests, reviews

parts = (lists.part, requests.part, completion.part, reviews.part, comments.part, linked_items.part, changed_files.part)
