"""Python programs on the PJRT plugin, each in a process of its own, forked from one that has JAX loaded (preloaded.py)."""
import os
import pathlib

import preloaded
import pytest

preloaded.load("jax", "jax.numpy", "jax.experimental.io_callback")


@pytest.fixture
def script(tmp_path):
    """script(text, **variables) -> CompletedProcess of a Python program on the plugin."""

    def run(text, **variables):
        plugin = pathlib.Path(os.environ["ASSAY_BIN"]).parent / "lib" / "pjrt_assay.so"
        environment = {**os.environ, "JAX_PLATFORMS": "assay", "ASSAY_PJRT_LIBRARY": str(plugin), **variables}
        file = tmp_path / "script.py"
        file.write_text("import jax\nimport jax.numpy as jnp\nimport numpy as np\n" + text)
        return preloaded.run(file, env=environment, timeout=300)

    return run


def check(done):
    assert done.returncode == 0, done.stderr
    return done.stdout
