"""What to do instead of those of NumPy's functions that tensorplay does not have. Plain tensors go to NumPy itself."""

from __future__ import annotations

from tensorplay.numpy_protocol.calling import unmapped

_WRITES = "It writes into its argument: use {} or an indexed assignment."
_SETS = "Its result has a shape that depends on the elements: use tp.isin or tp.unique on constants (x.detach())."
_TEXT = "It makes text or a file of numbers: give it x.detach(), or tp.func.debug_unwrap(x) under a transform."
_EDGES = "Its result depends on the elements in steps: use tp.{} on constants (x.detach())."
_READS = "It makes an array of text, a file or a buffer: use tp.from_numpy on what NumPy reads."
_MEMORY = "A traced tensor has no memory of its own."
_NONE = "It has no derivative, and none of tensorplay's functions does the same."

unmapped.update(
    {
        # in place
        "copyto": _WRITES.format("x.copy_(y)"),
        "fill_diagonal": _WRITES.format("x.fill_diagonal_(value)"),
        "place": _WRITES.format("x.masked_scatter_(mask, values)"),
        "put": _WRITES.format("x.put_(index, values)"),
        "put_along_axis": _WRITES.format("x.scatter_(dim, index, values)"),
        "putmask": _WRITES.format("x.masked_scatter_(mask, values)"),
        # functions of functions
        "apply_along_axis": "Use tp.vmap, which maps a function over a dim.",
        "fromfunction": "Call the function on tp.meshgrid of tp.arange.",
        # shapes that depend on the elements, or on what they are
        "insert": "Use tp.cat on slices of the tensor.",
        "trim_zeros": "Its result has a shape that depends on the elements: take a slice.",
        "unique_all": "Use np.unique_inverse or np.unique_counts, or tp.unique.",
        **dict.fromkeys(["intersect1d", "setdiff1d", "setxor1d", "union1d"], _SETS),
        "real_if_close": "Its result is complex or real as the elements decide: use tp.real.",
        "min_scalar_type": "It looks at the elements: use x.dtype.",
        "sort_complex": "Complex numbers are not ordered: use tp.sort on tp.abs(x) or on tp.real(x).",
        "lib.scimath": "Its result is complex or real as the elements decide: use tp.sqrt, tp.log, ... on x.cdouble().",
        # histograms
        "histogram2d": _EDGES.format("histogramdd"),
        "histogramdd": _EDGES.format("histogramdd"),
        "histogram_bin_edges": _EDGES.format("linspace"),
        # polynomials
        "polydiv": "Write the division of the coefficients, or use tp.linalg.solve.",
        "polyfit": "Use tp.linalg.lstsq with tp.vander(x, deg + 1).",
        "roots": "Use tp.linalg.eigvals of the companion matrix.",
        "polynomial.polynomial": "Use tp.einsum with tp.vander(x, increasing=True).",
        "einsum_path": "tp.einsum finds the order of the products by itself.",
        # bits
        "packbits": _NONE,
        "unpackbits": _NONE,
        # memory
        "asfortranarray": _MEMORY + " Use x.transpose and x.contiguous() for an order of elements.",
        "may_share_memory": _MEMORY,
        "shares_memory": _MEMORY,
        # files
        **dict.fromkeys(["array2string", "array_repr", "array_str"], "Use repr(x), which shows the levels of x."),
        **dict.fromkeys(["save", "savetxt", "savez", "savez_compressed"], _TEXT),
        **dict.fromkeys(["frombuffer", "fromfile", "fromiter", "fromstring", "genfromtxt", "loadtxt"], _READS),
        # dates
        **dict.fromkeys(["busday_count", "busday_offset", "datetime_as_string", "is_busday"], "Tensors hold no dates."),
        # text and records
        **dict.fromkeys(["char", "strings"], "Tensors hold no text."),
        "lib.recfunctions": "Tensors hold no records.",
    }
)
