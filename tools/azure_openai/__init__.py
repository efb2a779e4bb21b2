"""A model in Azure OpenAI that other tools use to write texts. This package has no tools of its own."""
