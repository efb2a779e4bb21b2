"""A model in Azure OpenAI that other tools use to write texts. This package does not contain tools."""
