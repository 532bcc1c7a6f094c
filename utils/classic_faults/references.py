"""References of the table's programs, as JAX functions."""
import jax
import jax.numpy as jnp

def variance(x):
    return jnp.mean(jnp.square(x - jnp.mean(x, -1, keepdims=True)), -1)

def logsumexp(x):
    return jax.scipy.special.logsumexp(x, -1)

def log1p(x):
    return jnp.log1p(x)

def expm1(x):
    return jnp.expm1(x)

def rsqrt(x):
    return jax.lax.rsqrt(x)

def clamp(x):
    return jax.lax.clamp(-1.0, x, 1.0)

def sign(x):
    return jnp.sign(x)

def finite(x):
    return jnp.isfinite(x)

def even(x):
    return jnp.rint(x)

def floor(x):
    return jnp.floor(x)

def argmax(x):
    return jnp.argmax(x, -1)

def ordered(x):
    return jnp.sort(x, -1)

def running(x):
    return jnp.cumsum(x, -1)

def normal(x):
    return x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x * x, -1, keepdims=True), 1e-12))

def silu(x):
    return jax.nn.silu(x)

def softplus(x):
    return jax.nn.softplus(x)

def logsig(x):
    return jax.nn.log_sigmoid(x)

def to_int(x):
    return x.astype(jnp.int32)

def to_bf16(x):
    return x.astype(jnp.bfloat16)

def from_int(x):
    return x.astype(jnp.float32)
