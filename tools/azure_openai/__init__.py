"""A model in Azure OpenAI that other tools use to write texts. It has no tools of its own."""
