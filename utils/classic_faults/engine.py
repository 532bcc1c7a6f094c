"""The table's kernels for `assay verify --engine=python:engine.py:KEY`; KEY is that of a row."""
import table


def _served(kernel):
    def serve(*inputs, problem=None):
        return kernel(*inputs)

    serve.arrays = "numpy"
    return serve


globals().update({row.key: _served(row.kernel) for row in table.all_rows()})
