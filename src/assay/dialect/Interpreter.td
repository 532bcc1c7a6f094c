//===- Interpreter.td - the interpreter dialect: probes, printing, parallel processes ----------------------------------===//
include "assay/dialect/Attrs.td"

def Interpreter_Dialect : Dialect {
  let name = "interpreter";
  let cppNamespace = "::assay::interpreter";
  let summary = "Requests to the interpreter";
}

class Interpreter_Op<string mnemonic, list<Trait> traits = []>
    : Op<Interpreter_Dialect, mnemonic, !listconcat(traits, [MemoryEffects<[MemRead, MemWrite]>])>;

def PrintOp : Interpreter_Op<"print"> {
  let summary = "prints operand";
  let arguments = (ins TensorQ:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}
def ProbeOp : Interpreter_Op<"probe"> {
  let summary = "records operand under probe_id and returns it";
  let arguments = (ins TensorQ:$operand, StrAttr:$probe_id);
  let results = (outs TensorQ:$result);
  let assemblyFormat = "$operand `,` `probe_id` `=` $probe_id attr-dict `:` custom<SameTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}
def ProgramGridAttr : TypedArrayAttrBase<FlatSymbolRefArrayAttr, "array of arrays of function names">;
def RunParallelOp : Interpreter_Op<"run_parallel", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs programs[replica][partition] side by side";
  let arguments = (ins Variadic<FlowValue>:$inputs, OptionalAttr<FlatSymbolRefArrayAttr>:$infeed,
                       ProgramGridAttr:$programs);
  let results = (outs Variadic<FlowValue>:$results);
  let hasVerifier = 1;
}
