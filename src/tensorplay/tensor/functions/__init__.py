"""The public functions, a file a family: ops on values, lifted to tensors. Every name of an `__all__` here is `tensorplay.name`."""
