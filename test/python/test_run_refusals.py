"""Refusals and warnings of `assay run` and similar commands, by kind: types, sizes, members of files, promises of a program."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

BIN = pathlib.Path(os.environ.get("ASSAY_BIN", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))


def assay(*words):
    ran = subprocess.run([BIN / "assay", *map(str, words)], capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def program(folder, text, name="p.mlir"):
    path = folder / name
    path.write_text(text)
    return path


UNSPECIFIED = ["f128", "f80", "tf32", "complex<f16>", "complex<bf16>", "complex<f8E5M2>", "complex<f128>", "i3", "i128", "si8", "ui1",
               "!quant.uniform<i8:f128, 0.5>"]


@pytest.mark.parametrize("element", UNSPECIFIED)
def test_types_outside_the_specification_are_refused_before_anything_runs(tmp_path, element):
    path = program(tmp_path, f"func.func @main(%a: tensor<2x{element}>) -> tensor<2x{element}> {{\n  return %a : tensor<2x{element}>\n}}\n")
    for words in (["run", path, "--input", "iota"], ["run", path, "--input", "random", "--engine", "native"], ["verify", "--op", path],
                  ["audit", path, "--rule", "exact"], ["reduce", path, "-o", tmp_path / "o.mlir"], ["triage", path]):
        code, said = assay(*words)
        assert code in (1, 2), (words, said)
        assert "no element type" in said, (words, said)


ADD = ("func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {\n"
       "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n")


def test_surplus_members_are_refused(tmp_path):
    path, file = program(tmp_path, ADD), tmp_path / "x.npz"
    pair = np.ones(2, "f4")
    np.savez(file, in0=pair, in1=pair, out0=2 * pair, weights=pair)  # other names are the user's own
    assert assay("run", path, "--input", file, "--expect", file)[0] == 0
    for surplus in ({"in2": pair}, {"in7": pair}):
        np.savez(file, in0=pair, in1=pair, out0=2 * pair, **surplus)
        code, said = assay("run", path, "--input", file)
        assert code == 2 and f"has '{next(iter(surplus))}', but @main takes 2 arguments" in said
        assert f"take the member out, or give --input {file}:NAME for each argument" in said
    for surplus in ("out1", "out3", "out0.1"):
        np.savez(file, in0=pair, in1=pair, out0=2 * pair, **{surplus: pair})
        code, said = assay("run", path, "--input", file, "--expect", file)
        assert code == 2 and f"has '{surplus}', which the program does not make: its only result is out0" in said
    two = program(tmp_path, ADD.replace("-> tensor<2xf32>", "-> (tensor<2xf32>, tensor<2xf32>)")
                  .replace("return %0 : tensor<2xf32>", "return %0, %0 : tensor<2xf32>, tensor<2xf32>"), "two.mlir")
    np.savez(file, in0=pair, in1=pair, out0=2 * pair, out1=2 * pair)
    assert assay("run", two, "--input", file, "--expect", file)[0] == 0
    np.savez(file, in0=pair, in1=pair, out0=2 * pair, out1=2 * pair, out2=pair)
    code, said = assay("run", two, "--input", file, "--expect", file)
    assert code == 2 and "has 'out2', which the program does not make: its results are out0 to out1" in said


def test_a_rule_without_anything_to_judge_is_refused(tmp_path):
    for rule in ("bound", "exact", "shadow"):
        code, said = assay("run", program(tmp_path, ADD), "--input", "iota", "--input", "iota", "--rule", rule)
        assert code == 2 and "--rule requires --expect" in said


@pytest.mark.parametrize("given, message", [
    (["nothere.npz"], "nothere.npz"), (["nothere"], "there is no file 'nothere'"), (["nothere.npy"], "there is no file 'nothere.npy'"),
    (["randm"], "random[:seed], zeros or iota"), (["iota"], "@main takes 2 arguments, 1 input was given"),
    (["iota"] * 3, "@main takes 2 arguments, 3 inputs were given")])
def test_what_is_missing_of_the_inputs_is_said(tmp_path, given, message):
    words = [word for each in given for word in ("--input", each)]
    code, said = assay("run", program(tmp_path, ADD), *words)
    assert code == 2 and message in said


BOUNDED = "tensor<?xf32, #stablehlo.bounds<4>>"


def test_sizes_beyond_a_bound_are_refused_at_run_time(tmp_path):
    path = program(tmp_path, f"func.func @main(%a: {BOUNDED}) -> {BOUNDED} {{\n  return %a : {BOUNDED}\n}}\n")
    for size in (0, 3, 4, 5, 9):
        np.save(tmp_path / "a.npy", np.ones(size, "f4"))
        code, said = assay("run", path, "--input", tmp_path / "a.npy")
        assert (code == 0) == (size <= 4), said
        if size > 4:
            assert f"dimension 0 has size {size}" in said and "its type's #stablehlo.bounds allow at most 4" in said
    inner = program(tmp_path, f"func.func @main(%a: tensor<?xf32>) -> {BOUNDED} {{\n"
                              f"  %0 = \"stablehlo.concatenate\"(%a, %a) <{{dimension = 0 : i64}}> : (tensor<?xf32>, tensor<?xf32>) -> {BOUNDED}\n"
                              f"  return %0 : {BOUNDED}\n}}\n")
    for size in (2, 3):
        np.save(tmp_path / "a.npy", np.ones(size, "f4"))
        code, said = assay("run", inner, "--input", tmp_path / "a.npy")
        assert (code == 0) == (size == 2) and (size == 2 or "at most 4" in said), said


def test_a_shape_that_no_argument_gives_is_refused_with_a_way_out(tmp_path):
    path = program(tmp_path, "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}\n")
    code, said = assay("verify", "--op", path)
    assert code != 0 and "the sizes in the program, exported for arrays of one shape" in said


SCATTER = """func.func @main(%x: tensor<4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = {0}, unique_indices = {1}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}}
"""
GATHER = """func.func @main(%x: tensor<4xf32>, %i: tensor<3x1xi32>) -> tensor<3xf32> {{
  %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>, slice_sizes = array<i64: 1>, indices_are_sorted = {0}}}> : (tensor<4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}}
"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("indices, is_sorted, unique", [((0, 1, 3), True, True), ((0, 3, 1), False, True), ((1, 1, 2), True, False),
                                                        ((2, 1, 2), False, False), ((9, 9, 9), True, True)])
def test_promises_about_indices_that_are_untrue_give_a_warning(tmp_path, indices, is_sorted, unique, engine):
    literal = f"dense<[{', '.join(f'[{i}]' for i in indices)}]> : tensor<3x1xi32>"
    for says_sorted in (False, True):
        for says_unique in (False, True):
            path = program(tmp_path, SCATTER.format(*(str(x).lower() for x in (says_sorted, says_unique))))
            code, said = assay("run", path, "--engine", engine, "--input", "iota", "--input", literal, "--input", "iota")
            assert code == 0
            assert ("says unique_indices, but" in said) == (says_unique and not unique)
            assert ("says indices_are_sorted, but" in said) == (says_sorted and not is_sorted)
        path = program(tmp_path, GATHER.format(str(says_sorted).lower()))
        code, said = assay("run", path, "--engine", engine, "--input", "iota", "--input", literal)
        assert code == 0 and ("says indices_are_sorted, but" in said) == (says_sorted and not is_sorted)


def test_starts_of_a_gather_are_sorted_if_they_are_so_when_clamped(tmp_path):
    for indices, is_sorted in (("[9], [8], [7]", True), ("[1], [-1], [0]", False), ("[-1], [-2], [2]", True)):
        code, said = assay("run", program(tmp_path, GATHER.format("true")), "--input", "iota", "--input", f"dense<[{indices}]> : tensor<3x1xi32>")
        assert code == 0 and ("says indices_are_sorted, but they are not" in said) == (not is_sorted)


def test_the_documents_literal_has_a_hint_and_interpret_runs_each_function(tmp_path):
    text = ("func.func @first() -> tensor<2xui4> {\n  %0 = stablehlo.constant dense<[15, 5]> : tensor<2xui4>\n"
            "  check.expect_eq_const %0, LITERAL : tensor<2xui4>\n  return %0 : tensor<2xui4>\n}\n")
    code, said = assay("run", program(tmp_path, text.replace("LITERAL", "[15, 5]")))
    assert code == 2 and "[15, 5] is not a tensor literal: write dense<[15, 5]> : tensor<...>" in said
    good = text.replace("LITERAL", "dense<[15, 5]>")
    path = program(tmp_path, good + good.replace("@first", "@second"))
    code, said = assay("run", "--interpret", path)
    assert code == 0, said
    first, second = said.index("Evaluated results of function: first"), said.index("Evaluated results of function: second")
    assert first < said.index("[15, 5]") < second and "checks: 2 passed, 0 failed" in said
    code, said = assay("run", path)  # without the flag, the message asks for it
    assert code == 2 and "--entry" in said


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "p.mlir"
    path.write_bytes(b"\xef\xbb\xbf" + ADD.encode())
    assert assay("run", path, "--input", "iota", "--input", "iota")[0] == 0


def test_an_unknown_custom_call_names_the_flag(tmp_path):
    path = program(tmp_path, 'func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.custom_call @mine(%a) : (tensor<f32>) -> tensor<f32>\n'
                             '  return %0 : tensor<f32>\n}\n')
    code, said = assay("run", path, "--input", "iota")
    assert code == 2 and "--custom-call mine=LIBRARY.so:FUNCTION" in said


def test_a_line_of_the_exported_model_is_not_a_line_of_the_file(tmp_path):
    path = program(tmp_path, 'func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.add %a, %a : tensor<f32> loc("model.py":17:0)\n'
                             '  return %0 : tensor<f32>\n}\n')
    code, said = assay("run", path, "--input", "iota", "--watch", "2")
    assert code == 2 and "is made at line '2'" in said and "'model.py' lines 17" in said
    assert assay("run", path, "--input", "iota", "--watch", "17")[0] == 0
