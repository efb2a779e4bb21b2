"""A model at Azure OpenAI, which no tool shows by itself: others have it write what they give."""
