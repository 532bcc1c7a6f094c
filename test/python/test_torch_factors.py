"""Factors of matrices that are unique only up to signs, phases, an order or a basis; and singular values by Weyl's bound."""
import numpy as np
import pytest
import torch

import assay

G = torch.Generator().manual_seed(4)
A = torch.randn(5, 5, generator=G)
H = A + A.mT
TALL = torch.randn(2, 6, 3, generator=G)
Z = torch.complex(A, torch.randn(5, 5, generator=G))


def other_signs(x):
    """Every other column with the opposite sign."""
    return x * (1 - 2 * (torch.arange(x.shape[-1]) % 2))


def eigh_with_other_signs(a):
    values, vectors = torch.linalg.eigh(a)
    return values, other_signs(vectors)


def svd_with_other_signs(a):
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    return other_signs(u), s, other_signs(vh.mT).mT


def qr_with_other_signs(a):
    q, r = torch.linalg.qr(a)
    return other_signs(q), other_signs(r.mT).mT


def eig_in_another_order(a):
    values, vectors = torch.linalg.eig(a)
    return values.flip(-1), vectors.flip(-1) * 1j


def of_numpy(a):
    values, vectors = np.linalg.eigh(a)
    return values, -vectors


SVD = lambda a: tuple(torch.linalg.svd(a, full_matrices=False))
CASES = {
    "eigh": (eigh_with_other_signs, lambda a: tuple(torch.linalg.eigh(a)), H), "a basis of a double eigenvalue": (eigh_with_other_signs, lambda a: tuple(torch.linalg.eigh(a)), torch.eye(4)),
    "svd": (svd_with_other_signs, SVD, TALL), "qr": (qr_with_other_signs, lambda a: tuple(torch.linalg.qr(a)), TALL), "eig": (eig_in_another_order, lambda a: tuple(torch.linalg.eig(a)), A),
    "complex eig": (eig_in_another_order, lambda a: tuple(torch.linalg.eig(a)), Z), "eigenvalues in another order": (lambda a: torch.linalg.eigvals(a).flip(-1), torch.linalg.eigvals, A),
    "vectors alone": (lambda a: other_signs(torch.linalg.eigh(a)[1]), lambda a: torch.linalg.eigh(a)[1], H), "in 64 bits": (eigh_with_other_signs, lambda a: tuple(torch.linalg.eigh(a)), H.double()),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_other_factors_that_satisfy_the_definition_are_right(name):
    kernel, reference, matrix = CASES[name]
    for one in (kernel, reference):
        verdict = assay.check(one, reference, matrix, framework="torch")
        assert verdict.status == "PASSED", str(verdict)


def test_a_kernel_of_numpy_beside_pytorch():
    assert assay.check(of_numpy, lambda a: tuple(torch.linalg.eigh(a)), H.numpy(), framework="numpy").status == "PASSED"


def nearly(part, by):
    """The kernel with one element of a part moved."""
    def change(kernel):
        def wrong(a):
            made = [one.clone(memory_format=torch.contiguous_format) for one in kernel(a)]
            made[part].reshape(-1)[1] += by
            return tuple(made)

        return wrong

    return change


@pytest.mark.parametrize("name", ["eigh", "svd", "qr", "eig"])
@pytest.mark.parametrize("part", [0, 1])
def test_factors_of_another_matrix_are_wrong(name, part):
    kernel, reference, matrix = CASES[name]
    assert assay.check(nearly(part, 1e-3)(kernel), reference, matrix, framework="torch").status == "FAILED"


def test_an_eigenvalue_twice_is_wrong():
    def twice(a):
        values, vectors = torch.linalg.eig(a)
        index = torch.tensor([0, 0, 2, 3, 4])
        return values[index], vectors[:, index]

    assert assay.check(twice, lambda a: tuple(torch.linalg.eig(a)), A, framework="torch").status == "FAILED"


VALUES = {
    "svdvals": (torch.linalg.svdvals, TALL), "eigvalsh": (torch.linalg.eigvalsh, H), "eigvalsh of the upper triangle": (lambda a: torch.linalg.eigvalsh(a, UPLO="U"), A), "complex": (torch.linalg.svdvals, Z),
    "complex and Hermitian": (torch.linalg.eigvalsh, Z), "in 64 bits": (torch.linalg.svdvals, A.double()), "a norm": (lambda a: torch.linalg.matrix_norm(a, "nuc"), TALL), "a rank": (torch.linalg.matrix_rank, A),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_singular_values_have_a_derived_bound(name):
    function, matrix = VALUES[name]
    verdict = assay.check(function, function, matrix)
    assert verdict.status == "PASSED" and "weaker" not in str(verdict), str(verdict)
    for engine in ("native", "reference"):
        assert assay.check(None, function, matrix, engine=engine).status == "PASSED"
    wrong = (lambda a: function(a) + 1) if name == "a rank" else (lambda a: function(a) * (1 + 1e-4))
    assert assay.check(wrong, function, matrix, framework="torch").status == "FAILED"


def test_singular_values_of_what_was_rounded_move_with_it():
    """A + 1000 loses digits: the values may move as far as the matrix, and no further."""
    function = lambda a: torch.linalg.svdvals((a + 1000) - 1000)
    exact = lambda a: torch.linalg.svdvals(a.double()).float()
    assert assay.check(exact, function, A, framework="torch").status == "PASSED"
    assert assay.check(exact, torch.linalg.svdvals, A + 0.5, framework="torch").status == "PASSED"
    assert assay.check(lambda a: exact(a) + 1e-2, function, A, framework="torch").status == "FAILED"
