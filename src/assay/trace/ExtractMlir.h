/// Framework-free unit tests: recorded operator calls as StableHLO programs
/// with their data beside them, which `assay test` runs.
#pragma once

#include "assay/trace/ExtractPytest.h"
#include "assay/trace/Operators.h"

namespace assay::formats {
class Hdf5Reader;
}

namespace assay::trace {

/// A recorded call as a program with the data that it ran on.
struct RecordedCase {
  std::string stem;    ///< "00004-aten_mm_default"
  std::string comment; ///< "aten.mm.default, recorded as 00004-aten"
  std::string opName;
  AtenProgram program;
  std::vector<tensor::Tensor> inputs, outputs;
};
using CaseSink = llvm::function_ref<llvm::Error(const RecordedCase &recorded)>;

/// Passes each call that has a program and whose tensors were all saved to
/// `sink`; the others are counted with the reason. Options: blacklist,
/// traceDir. `stages`: as of atenProgram. Errors: those of reading, and of
/// `sink`.
llvm::Expected<ExtractReport>
recordedCases(const std::vector<TracedCall> &calls,
              const ExtractOptions &options, Stages stages, CaseSink sink);
/// The same for the dump of a StableHLO program, described by the program.
llvm::Expected<ExtractReport> recordedCases(const formats::Hdf5Reader &dump,
                                            const Operators &operators,
                                            const ExtractOptions &options,
                                            CaseSink sink);

/// Writes NAME_OPERATOR.mlir and .npz (in0, in1, ..., out0, ...) for each call
/// that has a program and whose tensors were all saved; the others are counted
/// with the reason. Options: outDir, blacklist, traceDir.
/// Errors:  InvalidArgument when a file cannot be written; those of reading the
///          recorded tensors
llvm::Expected<ExtractReport> extractMlir(const std::vector<TracedCall> &calls,
                                          const ExtractOptions &options);

/// The same for the dump of a StableHLO program, described by the program.
llvm::Expected<ExtractReport> extractMlir(const formats::Hdf5Reader &dump,
                                          const Operators &operators,
                                          const ExtractOptions &options);

/// Whether an operator's name is in a list; a trailing '*' stands for any
/// ending.
bool isListed(llvm::StringRef opName, const std::vector<std::string> &names);

} // namespace assay::trace
