//===- Check.td - the check dialect: what a test program expects -------------------------------------------------------===//
include "assay/dialect/Attrs.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::assay::check";
  let summary = "Expectations within a program";
}

/// A check has no result: its verdict is a side effect, which no pass may remove.
class Check_Op<string mnemonic> : Op<Check_Dialect, mnemonic, [MemoryEffects<[MemRead, MemWrite]>]>;

def ExpectEqOp : Check_Op<"expect_eq"> {
  let summary = "lhs and rhs are equal";
  let arguments = (ins TensorQ:$lhs, TensorQ:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<BothTypes>(type($lhs), type($rhs))";
  let hasVerifier = 1;
}
def ExpectEqConstOp : Check_Op<"expect_eq_const"> {
  let summary = "lhs equals a literal";
  let arguments = (ins TensorQ:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` custom<LiteralAndType>($value, type($lhs)) attr-dict";
  let hasVerifier = 1;
}
def ExpectAlmostEqOp : Check_Op<"expect_almost_eq"> {
  let summary = "|lhs - rhs| is at most tolerance";
  let arguments = (ins FloatComplexQTensor:$lhs, FloatComplexQTensor:$rhs,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict "
                       "`:` custom<BothTypes>(type($lhs), type($rhs))";
  let hasVerifier = 1;
}
def ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const"> {
  let summary = "|lhs - value| is at most tolerance";
  let arguments = (ins FloatComplexQTensor:$lhs, ElementsAttr:$value,
                       DefaultValuedOptionalAttr<F64Attr, "1e-4">:$tolerance);
  let assemblyFormat = "$lhs `,` custom<LiteralAndType>($value, type($lhs)) (`,` `tolerance` `=` $tolerance^)? attr-dict";
  let hasVerifier = 1;
}
def ExpectCloseOp : Check_Op<"expect_close"> {
  let summary = "actual and expected differ by min to max units in the last place";
  let arguments = (ins FloatComplexQTensor:$actual, FloatComplexQTensor:$expected,
                       DefaultValuedOptionalAttr<UI64Attr, "1">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<UI64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = "$actual `,` $expected `,` `max_ulp_difference` `=` $max_ulp_difference "
                       "(`,` `min_ulp_difference` `=` $min_ulp_difference^)? attr-dict "
                       "`:` type($actual) `,` type($expected)";
  let hasVerifier = 1;
}
def ExpectSerializedEqOp : Check_Op<"expect_serialized_eq"> {
  let summary = "expected equals what a probe has written";
  let arguments = (ins TensorQ:$expected, StrAttr:$probe_id, DefaultValuedOptionalAttr<UI32Attr, "0">:$iteration);
  let assemblyFormat = "$expected `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iteration^)? attr-dict "
                       "`:` type($expected)";
}
