/// All kernels of an operation on this machine, for `assay kernels list`.
#pragma once

#include "assay/select/KernelSet.h"
#include "assay/support/ExitCode.h"

#include "llvm/Support/JSON.h"

namespace assay::select {

struct KernelList {
  std::string op, dtype, layout, isa;
  std::vector<std::string> names;
  /// A family (products) or an algorithm (convolutions): its name and number of
  /// kernels.
  struct Part {
    std::string name, what;
    int64_t count = 0;
  };
  std::vector<Part> parts; ///< only those with kernels
  /// The number of names to show, 0: all. nullopt: 20 in text, all in JSON.
  std::optional<size_t> limit;

  llvm::json::Value toJson() const;
  void print(llvm::raw_ostream &os, bool details) const;
  ExitCode exitCode() const { return ExitCode::Ok; }

private:
  size_t shown(size_t otherwise) const;
};

KernelList listKernels(const KernelSet &set, std::optional<size_t> limit);

} // namespace assay::select
