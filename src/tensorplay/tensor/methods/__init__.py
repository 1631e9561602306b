"""Methods of Tensor, a class a family, written out so that readers and editors see them. No maths here."""
