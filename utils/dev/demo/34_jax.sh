# Every operation of a JAX function in a dump, and an exported function that runs as it is.
# More: docs/jax.md
python="$PWD/.venv/bin/python"
if ! "$python" -c "import importlib.util as i; raise SystemExit(i.find_spec('jax') is None)"; then
  echo "JAX is not installed here (./dev setup test installs it): assay.jax.record is left out."
  exit 0
fi
export PYTHONPATH="$PWD/python:$PWD/build/release/python" JAX_PLATFORMS=cpu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/record.py" <<'PYTHON'
import sys

import jax
import jax.numpy as jnp

from assay.jax import record


def layer(x, w):
    with jax.named_scope("mlp"):
        return jnp.tanh(x @ w).sum()


with record(layer, sys.argv[1]) as recorded:
    recorded(jnp.ones((2, 3)), jnp.full((3, 4), 0.5))
PYTHON
echo "assay.jax.record: the equations of a jitted function, one after another, with their names"
"$python" "$folder/record.py" "$folder/run.h5"
assay summary "$folder/run.h5" | cut -c 1-72 | tee "$folder/said.txt"
grep -q "mlp.dot_general.0.forward_output.0" "$folder/said.txt"
echo
echo "What jax.export serialises (a portable artifact in a file of its own) runs as it is:"
cat >"$folder/export.py" <<'PYTHON'
import sys

import jax
import numpy as np
from jax import export

f = jax.jit(lambda x, w: jax.nn.softmax(x @ w))
x, w = np.linspace(-1, 1, 6, dtype="f").reshape(2, 3), np.eye(3, 4, dtype="f")
open(sys.argv[1], "wb").write(export.export(f)(x, w).serialize())
np.savez(sys.argv[2], in0=x, in1=w, out0=f(x, w))
PYTHON
"$python" "$folder/export.py" "$folder/softmax.jax" "$folder/softmax.npz"
assay run "$folder/softmax.jax" --input "$folder/softmax.npz" --expect "$folder/softmax.npz"
