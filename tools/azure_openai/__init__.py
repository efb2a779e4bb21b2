"""A model at Azure OpenAI that other tools use for writing. It has no tools of its own."""
