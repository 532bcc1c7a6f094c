//===- Control.td - control flow, tuples, tokens, calls out of the program ---------------------------------------------===//
include "assay/dialect/Attrs.td"

def ReturnOp : Stablehlo_Op<"return", [Pure, Terminator]> {
  let summary = "ends a region with its results";
  let arguments = (ins Variadic<FlowValue>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def IfOp : Stablehlo_Op<"if", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "one of two regions";
  let arguments = (ins PredTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<FlowValue>);
}
def CaseOp : Stablehlo_Op<"case", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "one of several regions, the last one for an index out of range";
  let arguments = (ins I32Scalar:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<FlowValue>);
}
def WhileOp : Stablehlo_Op<"while",
    [RecursiveMemoryEffects, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let hasVerifier = 1;
  let summary = "body as long as cond holds";
  let arguments = (ins Variadic<FlowValue>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<FlowValue>);
  let hasCustomAssemblyFormat = 1;
}
def OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier", [Pure]> {
  let hasVerifier = 1;
  let summary = "its operands; nothing moves across";
  let arguments = (ins Variadic<FlowValue>:$operand);
  let results = (outs Variadic<FlowValue>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))):(`(` `)`)?
  }];
}
def TupleOp : Stablehlo_Op<"tuple", [Pure]> {
  let hasVerifier = 1;
  let summary = "values as one tuple";
  let arguments = (ins Variadic<AnyValue>:$val);
  let results = (outs TupleValue:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleTypes>(type($val), type($result))";
}
def GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure]> {
  let hasVerifier = 1;
  let summary = "one value of a tuple";
  let arguments = (ins TupleValue:$operand, I32Attr:$index);
  let results = (outs AnyValue:$result);
  let assemblyFormat = !strconcat("$operand `[` $index `]`" , functionTail);
}
def AfterAllOp : Stablehlo_Op<"after_all", [Pure]> {
  let summary = "a token that follows all inputs";
  let arguments = (ins Variadic<TokenValue>:$inputs);
  let results = (outs TokenValue:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<SameVariadicTypes>(ref($inputs), type($inputs), type($result))
  }];
}
def CreateTokenOp : Stablehlo_Op<"create_token", [Pure]> {
  let summary = "a token that follows nothing; deprecated";
  let results = (outs TokenValue:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def AsyncStartOp : Stablehlo_Op<"async_start", [RecursiveMemoryEffects]> {
  let hasVerifier = 1;
  let summary = "starts body and returns a future of its results";
  let arguments = (ins Variadic<Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs FutureValue:$result);
}
def AsyncDoneOp : Stablehlo_Op<"async_done"> {
  let hasVerifier = 1;
  let summary = "waits for a future";
  let arguments = (ins FutureValue:$operand);
  let results = (outs Variadic<Tensor>);
}
def CompositeOp : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasVerifier = 1;
  let summary = "a named operation with the function that defines it";
  let arguments = (ins Variadic<AnyValue>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<AnyValue>);
  let assemblyFormat = !strconcat("$name operands (` ` `(` $composite_regions^ `)`)?" , functionTail);
}

def OperandAliasesAttr : TypedArrayAttrBase<OutputOperandAliasAttr, "array of operand aliases"> {
  let constBuilderCall = "$_builder.getArrayAttr({})";
}
def CalledComputationsAttr : TypedArrayAttrBase<FlatSymbolRefAttr, "array of function names"> {
  let constBuilderCall = "$_builder.getArrayAttr({})";
}
def CustomCallOp : Stablehlo_Op<"custom_call", [MemoryEffects<[MemWrite]>]> {
  let hasVerifier = 1;
  let summary = "a function of the platform, by name";
  let useCustomPropertiesEncoding = 1; // OlderProperties.cpp
  let arguments = (ins Variadic<AnyValue>:$inputs, StrAttr:$call_target_name,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
                       OptionalAttr<BackendConfigAttr>:$backend_config,
                       DefaultValuedOptionalAttr<CustomCallApiVersionAttr,
                           "::assay::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
                       DefaultValuedOptionalAttr<CalledComputationsAttr, "{}">:$called_computations,
                       OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
                       DefaultValuedOptionalAttr<OperandAliasesAttr, "{}">:$output_operand_aliases,
                       OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<AnyValue>);
  let assemblyFormat = !strconcat("custom<CallTarget>($call_target_name) `(` $inputs `)`" , functionTail);
}
