/// The libraries that `bench gemm` measures besides Assay, each through its C
/// interface, loaded at run time.
#pragma once

#include "assay/kernels/Problem.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace assay::bench {

/// One product bound to its buffers, which can be computed repeatedly.
using Call = std::function<void()>;

/// The operands of one product: A row-major m x k, B column-major (n rows of
/// k), C row-major in the type of the sums.
struct Operands {
  const void *a, *b;
  void *c;
};

class Peer {
public:
  virtual ~Peer() = default;
  virtual const char *name() const = 0;
  virtual void setThreads(int threads) = 0;
  /// A call that computes the product, or an empty function if the library
  /// lacks the type.
  virtual Call prepare(const kernels::GemmProblem &problem,
                       const Operands &operands) = 0;
};

/// The peers that this machine has; reports missing ones on standard error.
std::vector<std::unique_ptr<Peer>> loadPeers(llvm::StringRef names);

} // namespace assay::bench
