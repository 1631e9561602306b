"""The documentation site: its settings, the pages that are made from the code, and what checks the result."""
