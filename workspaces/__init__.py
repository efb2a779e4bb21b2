"""Git without a local disk. The packs and the state of a workspace are in shared file storage, so that any instance can
continue.
"""
