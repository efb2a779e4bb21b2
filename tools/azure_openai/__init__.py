"""Provides a model in Azure OpenAI. Tools in other packages use this model to write texts. This package does not
contain tools.
"""
