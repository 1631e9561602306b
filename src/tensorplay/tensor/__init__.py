"""
The handle that users hold: views and in-place writes, public functions, methods, dtypes, printing, interop.

May import `ops`, `interpreters` and `core`. Must not state a derivative or a batching rule.
"""
