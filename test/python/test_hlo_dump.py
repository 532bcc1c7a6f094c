"""XLA's text as `assay passes` reads it: operations that jaxlib's converter leaves in its own dialect, and a number that XLA's parser
reads wrongly."""

import pytest

pytest.importorskip("jaxlib")

from assay.hlo_dump import converted  # noqa: E402

TOPK = """HloModule m

%compare (p0: f32[], p1: f32[], p2: s32[], p3: s32[]) -> pred[] {
  %p0 = f32[] parameter(0)
  %p1 = f32[] parameter(1)
  %p2 = s32[] parameter(2)
  %p3 = s32[] parameter(3)
  ROOT %c = pred[] compare(%p0, %p1), direction=GT
}

ENTRY %e (x: f32[5,7]) -> s32[5,3] {
  %x = f32[5,7] parameter(0)
  %t = (f32[5,3], s32[5,3]) custom-call(%x), custom_call_target="TopK", called_computations={%compare}
  ROOT %i = s32[5,3] get-tuple-element(%t), index=1
}
"""


def entry(result, lines):
    return f"HloModule m\nENTRY %e (x: f32[4]) -> {result} {{\n  %x = f32[4] parameter(0)\n  " + "\n  ".join(lines) + "\n}\n"


def test_a_custom_call_of_a_tuple_gets_a_result_for_each_member():
    text = converted(TOPK)
    assert "chlo.top_k" in text and "tuple" not in text, text
    text = converted(TOPK.replace("direction=GT", "direction=LT"))  # the smallest first: another function
    assert "chlo.top_k" not in text and "tuple" not in text and "@TopK" in text, text
    assert "-> (tensor<5x3xf32>, tensor<5x3xi32>)" in text, text


def test_a_tuple_that_is_returned_stays_one():
    lines = ['ROOT %t = (f32[4], s32[4]) custom-call(%x), custom_call_target="other"']
    text = converted(entry("(f32[4], s32[4])", lines))
    assert "@other" in text and ("stablehlo.tuple" in text or "return %0#0, %0#1" in text), text


def test_functions_that_stablehlo_lacks_are_chlo_s():
    assert "chlo.erf" in converted(entry("f32[4]", ["ROOT %r = f32[4] erf(%x)"]))


def test_a_bitcast_keeps_the_bits():
    text = converted(entry("s32[4]", ["ROOT %r = s32[4] bitcast(%x)"]))
    assert "stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>" in text, text
    with pytest.raises(ValueError, match="another width"):
        converted(entry("s16[8]", ["ROOT %r = s16[8] bitcast(%x)"]))


def test_a_complex_constant_keeps_its_nan_and_the_other_part():
    constants = [("c64[]", "(nan, 1)"), ("c128[]", "(nan, 2)"), ("c64[2]", "{(nan, 3), (4, nan)}")]
    lines = [f"%c{i} = {type_} constant({value})" for i, (type_, value) in enumerate(constants)]
    result = "(c64[], c128[], c64[2])"
    text = converted(entry(result, [*lines, f"ROOT %t = {result} tuple(%c0, %c1, %c2)"]))
    for part in ("(0x7FC00000,1.0", "(0x7FF8000000000000,2.0", "(0x7FC00000,3.0", "(4.000000e+00,0x7FC00000)"):
        assert part in text, text
