//===- Sdy.td - JAX's description of how tensors are sharded: read, kept as text, written back ------------------------===//
include "assay/dialect/Base.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::assay::sdy";
  let summary = "Sharding annotations, kept as text";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def SdyTextAttr : AttrDef<Sdy_Dialect, "SdyText"> {
  let attrName = "sdy.text";
  let summary = "any attribute of the dialect, as it is written behind `#sdy.`";
  let parameters = (ins StringRefParameter<"text">:$text);
}

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let summary = "a named mesh of devices";
  let arguments = (ins SymbolNameAttr:$sym_name, SdyTextAttr:$mesh);
  let assemblyFormat = "$sym_name `=` custom<MeshText>($mesh) attr-dict";
}
def ShardingConstraintOp : Sdy_Op<"sharding_constraint", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "its operand, to be sharded as said";
  let arguments = (ins TensorQ:$input, SdyTextAttr:$sharding);
  let results = (outs TensorQ:$result);
  let assemblyFormat = "$input custom<ShardingText>($sharding) attr-dict `:` type($result)";
}
def ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "its operand, to be sharded as the others with this number";
  let arguments = (ins TensorQ:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `=` `` $group_id attr-dict `:` type($input)";
}
def ManualComputationOp : Sdy_Op<"manual_computation", [IsolatedFromAbove, RecursiveMemoryEffects]> {
  let summary = "a computation on the shards of its operands; tokens go in and come out whole";
  let arguments = (ins Variadic<FlowValue>:$tensors, SdyTextAttr:$in_shardings, SdyTextAttr:$out_shardings,
                       SdyTextAttr:$manual_axes);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<FlowValue>:$results);
  let assemblyFormat = "`(` operands `)` `in_shardings` `=` `` custom<PerValueText>($in_shardings) "
                       "`out_shardings` `=` `` custom<PerValueText>($out_shardings) "
                       "`manual_axes` `=` `` custom<AxesText>($manual_axes) custom<Body>($body) attr-dict "
                       "`:` functional-type(operands, results)";
}
def ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "ends a manual computation";
  let arguments = (ins Variadic<FlowValue>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
