/// All kernels of an operation on this machine, for `assay kernels list`.
#pragma once

#include "assay/select/KernelSet.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

namespace assay::select {

struct KernelList {
  std::string op, dtype, layout, isa;
  std::vector<std::string> names;
  /// The number of kernels of a family (products) or an algorithm (convolutions), and its
  /// name.
  struct Part {
    std::string name, what;
    int64_t count = 0;
  };
  std::vector<Part> parts; ///< those that have any
  /// Names to show, 0: all. None: 20 for people, all for programs.
  std::optional<size_t> limit;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }

private:
  size_t shown(size_t otherwise) const;
};

KernelList listKernels(const KernelSet &set, std::optional<size_t> limit);

} // namespace assay::select
