/// The kernels of this machine: enumerated per type and layout, offered only
/// after they were checked, compiled on first use, run through one call.
#pragma once

#include "assay/kernels/Config.h"
#include "assay/kernels/Machine.h"
#include "assay/support/ThreadPool.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <vector>

namespace assay::kernels {

class Jit;
class Selector;

/// A problem bound to a configuration: compiled, checked, with its work
/// divided. Immutable; run() may be called from any thread.
class PreparedGemm {
public:
  virtual ~PreparedGemm() = default;
  /// Computes the product. Threads: uses at most the problem's threads of the
  /// pool; writes only C (and its own scratch).
  virtual void run(const GemmPointers &pointers, ThreadPool &pool) const = 0;
};

/// The source of kernels. One per process is enough; all members are safe to
/// call from any thread.
class Registry {
public:
  struct Options {
    Machine machine = Machine::detect();
    std::string cacheDirectory; ///< empty: ASSAY_CACHE_DIR,
                                ///< XDG_CACHE_HOME/assay or ~/.cache/assay
    bool diskCache = true;
    bool verify = true; ///< check every micro-kernel before its first use
  };
  explicit Registry(Options options);
  Registry();
  ~Registry();

  const Machine &machine() const;

  /// Every valid configuration for these types and this layout on this machine,
  /// in a fixed order (its index is the kernel's number in data sets and
  /// models). At least 4,608 per type and layout.
  llvm::ArrayRef<GemmConfig> enumerate(TypePair types, Layout layout) const;

  /// Why the configuration cannot compute the problem, or nullopt when it can.
  /// Compiles nothing.
  std::optional<Refusal> supports(const GemmProblem &problem,
                                  const GemmConfig &config) const;

  /// Compiles the kernels for the pair (or takes them from memory or disk) and
  /// checks them. Errors: Unsupported (see supports), Mismatch (the kernel
  /// failed its check on this machine; it is not offered again), Internal (the
  /// compiler failed).
  llvm::Expected<std::shared_ptr<const PreparedGemm>>
  prepare(const GemmProblem &problem, const GemmConfig &config);

  /// The prepared kernel that the selector chooses for the problem. Choices are
  /// cached; a repeated problem costs one hash and one comparison, without a
  /// lock. The object lives as long as the registry.
  llvm::Expected<const PreparedGemm *> dispatch(const GemmProblem &problem,
                                                Selector &selector);

  /// Notes for the user, such as "cache folder '...' is not writable"; cleared
  /// by the call.
  std::vector<std::string> takeNotes();

  Jit &jit();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::kernels
