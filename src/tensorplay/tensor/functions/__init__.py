"""The public functions, a file a family: ops on values, lifted to tensors."""
