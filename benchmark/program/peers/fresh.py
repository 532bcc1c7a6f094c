"""Not a peer: our own engine through `assay.load`, where arguments may change from call to call, so that no weight is packed
beforehand."""


def prepare(model, form, threads, folder):
    import assay
    import numpy as np
    from models import MODELS

    program = assay.load(str(folder / "program.mlir"), engine="native", threads=threads, alg=MODELS[model].alg)
    with np.load(folder / "data.npz") as data:
        inputs = [data[f"in{i}"] for i in range(sum(name.startswith("in") for name in data.files))]
    results = program(*inputs)
    return lambda: program(*inputs), list(results) if isinstance(results, tuple) else [results]
