/// What the operators of a dump compute: the programs of its recorded calls,
/// and running them again.
#pragma once

#include "assay/trace/AtenProgram.h"
#include "assay/trace/DumpName.h"
#include "assay/trace/Replay.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace assay::program {
class Program;
}

namespace assay::trace {

/// Runs a program of one operator on tensors in the order of its parameters, on
/// the reference engine with an f64 shadow.
/// Result:  the shadows where there are some, the values elsewhere
llvm::Expected<std::vector<tensor::Tensor>>
runOperator(const AtenProgram &program, llvm::ArrayRef<tensor::Tensor> inputs);

class Operators {
public:
  /// Where the operators of a dump are described: `description` (dump.json, or
  /// the .mlir program that `assay run --record` ran); when empty, the
  /// dump.json that belongs to the dump (beside it as STEM_operators.json, or
  /// one folder up). Without either nothing is known. Errors:  those of reading
  /// a given description
  static llvm::Expected<Operators> of(llvm::StringRef dumpPath,
                                      llvm::StringRef description);
  Operators(Operators &&);
  ~Operators();

  bool empty() const { return calls_.empty() && programs_.empty(); }
  const std::vector<TracedCall> &calls() const { return calls_; }
  llvm::StringRef description() const { return description_; }
  /// The program of the call that a recorded tensor belongs to. Errors:
  /// Unsupported with the reason
  llvm::Expected<AtenProgram> program(const DumpName &name) const;

private:
  Operators();
  std::string description_;
  std::vector<TracedCall> calls_;
  llvm::StringMap<size_t> byName_;
  llvm::StringMap<std::string>
      programs_; // of a StableHLO program: "main/3.add"
};

/// One call on one side: its inputs in the order of the program's parameters
/// and the output that is judged.
struct OperatorCall {
  std::vector<tensor::Tensor> inputs;
  tensor::Tensor output;
};

/// Runs the operator on each side's own inputs and counts the elements of its
/// output `result` (a place in program.outputs) that are off: floats by more
/// than 4 units in the last place and a share of the RMS (2^-16 where the
/// operator sums, 2^-22 elsewhere; f64: 2^-40, 2^-50), others by anything.
llvm::Expected<ReplayResult> replayOperator(const AtenProgram &program,
                                            size_t result,
                                            const OperatorCall &target,
                                            const OperatorCall &bench);

} // namespace assay::trace
