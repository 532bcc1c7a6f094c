"""Cases of dot_general, dot, fft, cholesky, triangular_solve and rng_bit_generator.

Products have small integers, so that any order of summation is exact; transforms and factorizations are compared within a
few eps of the largest element.
"""
import numpy as np

from structured_move import each
from structured_programs import ALL, TYPES, call, case, ints, listed, numbers, shapeOf

REAL_OF = {"complex<f32>": "f32", "complex<f64>": "f64"}
WIDER = {"bf16": ["f32"], "f16": ["f32"], "i8": ["i32"], "ui8": ["ui32"], "i16": ["i32"], "f8E4M3FN": ["f32"], "f8E5M2": ["f32"]}


def dotGeneral(rng, kind):
    batch, contract = shapeOf(rng, 0, 2, [1, 2, 3]), shapeOf(rng, 0, 2, [0, 1, 2, 3, 5])
    free = [shapeOf(rng, 0, 2, [0, 1, 1, 2, 3, 5, 7]) for _ in range(2)]
    shapes, where = [], []
    for side in range(2):
        dims = [("b", i) for i in range(len(batch))] + [("c", i) for i in range(len(contract))]
        dims += [("f", i) for i in range(len(free[side]))]
        # Free dimensions keep their order; batching and contracting ones may be anywhere.
        order = [dims[i] for i in rng.permutation(len(dims))]
        ordered = iter(sorted(d for d in order if d[0] == "f"))
        order = [next(ordered) if d[0] == "f" else d for d in order]
        sizes = {"b": batch, "c": contract, "f": free[side]}
        shapes.append(tuple(sizes[what][i] for what, i in order))
        where.append([[order.index((what, i)) for i in range(len(sizes[what]))] for what in "bc"])
    kinds = WIDER.get(kind, []) + ([kind] if not kind.startswith("f8") else [])
    result = str(rng.choice(kinds))
    operands = [numbers(rng, kind, s, 2) for s in shapes]
    numbersText = (f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = {listed(where[0][0])}, "
                   f"rhs_batching_dimensions = {listed(where[1][0])}, lhs_contracting_dimensions = {listed(where[0][1])}, "
                   f"rhs_contracting_dimensions = {listed(where[1][1])}>")
    return case("stablehlo.dot_general", [kind] * 2, operands, [(result, batch + free[0] + free[1])], numbersText)


def dot(rng, kind):
    k = int(rng.choice([0, 1, 2, 7, 13]))
    left, right = shapeOf(rng, 0, 1, [0, 1, 3, 5]), shapeOf(rng, 0, 1, [0, 1, 3, 5])
    return case("stablehlo.dot", [kind] * 2, [numbers(rng, kind, left + (k,), 2), numbers(rng, kind, (k,) + right, 2)],
                [(kind, left + right)])


def fft(rng, kind):
    """Complex to complex; a length that is prime, a power of two, or 1."""
    rank = int(rng.integers(1, 4))
    lengths = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 12, 13, 17, 32], rank))
    shape = shapeOf(rng, 0, 1, [1, 2, 3]) + lengths
    values = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(TYPES[kind])
    return case("stablehlo.fft", [kind], [values], [(kind, shape)],
                f"fft_type = #stablehlo<fft_type {rng.choice(['FFT', 'IFFT'])}>, fft_length = {ints(lengths)}", bound=20)


def realFft(rng, kind):
    """RFFT, and IRFFT of spectra of real signals (other spectra have imaginary parts without a meaning here)."""
    real = REAL_OF[kind]
    rank = int(rng.integers(1, 4))
    lengths = tuple(int(n) for n in rng.choice([1, 2, 3, 4, 5, 7, 12, 13, 16], rank))
    batch = shapeOf(rng, 0, 1, [1, 2, 3])
    half = batch + lengths[:-1] + (lengths[-1] // 2 + 1,)
    signal = rng.normal(size=batch + lengths).astype(TYPES[real])
    if rng.random() < 0.5:
        return case("stablehlo.fft", [real], [signal], [(kind, half)],
                    f"fft_type = #stablehlo<fft_type RFFT>, fft_length = {ints(lengths)}", bound=20)
    axes = tuple(range(len(batch), len(batch) + rank))
    spectrum = np.fft.rfftn(signal.astype(np.float64), axes=axes).astype(TYPES[kind])
    return case("stablehlo.fft", [kind], [spectrum], [(real, batch + lengths)],
                f"fft_type = #stablehlo<fft_type IRFFT>, fft_length = {ints(lengths)}", bound=40)


def matrix(rng, kind, shape):
    values = rng.normal(size=shape)
    return values + 1j * rng.normal(size=shape) if kind.startswith("complex") else values


def cholesky(rng, kind):
    """One triangle of positive definite matrices, with garbage in the other; the results' other triangle is undefined and masked."""
    n = int(rng.choice([1, 2, 3, 5, 8, 13]))
    batch = shapeOf(rng, 0, 2, [0, 1, 2, 3])
    lower = bool(rng.random() < 0.5)
    m = matrix(rng, kind, batch + (n, n))
    a = m @ np.conj(np.swapaxes(m, -1, -2)) + 0.5 * n * np.eye(n)
    other = np.triu(np.ones((n, n)), 1) if lower else np.tril(np.ones((n, n)), -1)
    a = (a * (1 - other) + 7 * other).astype(TYPES[kind])
    one = case("stablehlo.cholesky", [kind], [a], [(kind, batch + (n, n))], f"lower = {str(lower).lower()}", bound=4 + 4 * n)
    t, mask = (f"tensor<{''.join(f'{d}x' for d in a.shape)}{k}>" for k in (kind, "i1"))
    first, second = a.ndim - 2, a.ndim - 1
    index = t.replace(kind, "i32") if not kind.startswith("complex") else f"tensor<{''.join(f'{d}x' for d in a.shape)}i32>"
    zero = "(0.0, 0.0)" if kind.startswith("complex") else "0.0"
    one.body = (one.body.replace("%r =", "%l =") + f"\n  %i = stablehlo.iota dim = {first} : {index}\n"
                f"  %j = stablehlo.iota dim = {second} : {index}\n"
                f"  %m = stablehlo.compare {'GE' if lower else 'LE'}, %i, %j : ({index}, {index}) -> {mask}\n"
                f"  %z = stablehlo.constant dense<{zero}> : {t}\n  %r = stablehlo.select %m, %l, %z : {mask}, {t}")
    return one


def triangularSolve(rng, kind):
    n, m = int(rng.choice([1, 2, 3, 5, 8, 13])), int(rng.choice([0, 1, 2, 3, 7]))
    batch = shapeOf(rng, 0, 2, [0, 1, 2, 3])
    left, lower, unit = (bool(rng.random() < 0.5) for _ in range(3))
    transpose = str(rng.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]))
    a = matrix(rng, kind, batch + (n, n)) * 0.3
    a = a + np.eye(n) * (3 if not unit else 0)
    b = matrix(rng, kind, batch + ((n, m) if left else (m, n)))
    text = (f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, unit_diagonal = {str(unit).lower()}, "
            f"transpose_a = #stablehlo<transpose {transpose}>")
    return case("stablehlo.triangular_solve", [kind] * 2, [a.astype(TYPES[kind]), b.astype(TYPES[kind])],
                [(kind, b.shape)], text, bound=64)


def randomBits(algorithm, words):
    def make(rng, kind):
        shape = shapeOf(rng, 0, 3, [0, 1, 2, 3, 5, 7, 8, 16])
        state = rng.integers(0, 2**64, words, dtype=np.uint64)
        if rng.random() < 0.4:   # the counter's carries
            state[1:] = np.array([2**64 - 1, 2**64 - 2, 2**32 - 1, 3], np.uint64)[:words - 1]
        return case("stablehlo.rng_bit_generator", ["ui64"], [state], [("ui64", (words,)), (kind, shape)],
                    f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>", note=f"state {state.tolist()}")
    return make


RANDOM_KINDS = ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"]
FACTORS = ["f32", "f64", "complex<f32>", "complex<f64>"]
GENERATORS = {
    "dot_general": each(dotGeneral, ALL + ["f8E4M3FN", "f8E5M2"], 5), "dot": each(dot, ALL, 2), "fft": each(fft, list(REAL_OF), 12),
    "fft_real": each(realFft, list(REAL_OF), 16), "cholesky": each(cholesky, FACTORS, 4),
    "triangular_solve": each(triangularSolve, FACTORS, 8),
    "rng_bit_generator_three_fry": each(randomBits("THREE_FRY", 2), RANDOM_KINDS, 4),
    "rng_bit_generator_philox": each(randomBits("PHILOX", 3), RANDOM_KINDS, 4),
    "rng_bit_generator_philox_2": each(randomBits("PHILOX", 2), RANDOM_KINDS, 2),
    "rng_bit_generator_default": each(randomBits("DEFAULT", 2), RANDOM_KINDS, 2),
}
