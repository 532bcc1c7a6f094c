/// Unit tests for pytest from recorded operator calls: any PyTorch device is
/// compared with the CPU.
#pragma once

#include "assay/trace/OperatorTrace.h"

#include <map>

namespace assay::trace {

struct ExtractOptions {
  std::string outDir = "pytests"; ///< folder of the tests; made if missing
  std::string
      traceDir; ///< folder of dump.json, which `file` entries are relative to
  bool load = true; ///< use recorded tensors where they exist; false: random in
                    ///< the range
  bool cpuInit =
      false; ///< make inputs on the CPU, so that every device gets the same
  std::vector<std::string> blacklist; ///< operators to leave out; a trailing
                                      ///< '*' stands for any ending
};

struct ExtractReport {
  int64_t calls = 0;                      ///< entries of dump.json
  int64_t tests = 0;                      ///< test cases written
  int64_t files = 0;                      ///< test files, one per operator
  std::map<std::string, int64_t> leftOut; ///< reason -> entries
};

/// The operators that --blacklist without names leaves out: results that are
/// random, uninitialised, or not tensors.
std::vector<std::string> defaultBlacklist();

/// Writes conftest.py, operator_call.py and test_<operator>.py. Recorded
/// tensors are given by file and offset, so that the tests need only PyTorch.
/// Errors:  InvalidArgument when a file cannot be written or a recorded tensor
/// is not in its file
llvm::Expected<ExtractReport>
extractPytests(const std::vector<TracedCall> &calls,
               const ExtractOptions &options);

} // namespace assay::trace
