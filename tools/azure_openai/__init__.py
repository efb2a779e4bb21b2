"""A model in Azure OpenAI, with which tools in other packages write texts. This package does not contain tools."""
