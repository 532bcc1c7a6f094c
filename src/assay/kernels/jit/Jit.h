/// The compiler of micro-kernels: LLVM IR for a key, machine code for this
/// processor, cached in memory and on disk.
#pragma once

#include "assay/kernels/jit/MicroKernel.h"
#include "assay/kernels/jit/ObjectCache.h"
#include "assay/support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace llvm {
class Module;
}

namespace assay::kernels {

class Jit {
public:
  /// Called once per kernel before its first use; an error keeps the kernel
  /// from being offered.
  using Check = llvm::Error (*)(const MicroKey &key, MicroFunction function,
                                const Isa &isa);

  Jit(Isa isa, std::string cacheDirectory, bool diskCache, Check check);
  ~Jit();

  /// The function for a key, compiled at most once. Threads: any; different
  /// kernels compile in parallel. Errors: Internal (LLVM failed), Mismatch (the
  /// check failed; the verdict holds for the process).
  llvm::Expected<MicroFunction> get(const MicroKey &key);

  /// The function `name` of a module that `emit` writes, compiled at most once
  /// and cached like a kernel; the caller checks it. `text` describes
  /// everything that `emit` depends on besides the instruction set. Threads and
  /// errors: as above.
  llvm::Expected<void *>
  getModule(const std::string &name, const std::string &text,
            llvm::function_ref<void(llvm::Module &, const Isa &)> emit);

  /// The assembly of a kernel: for tests.
  llvm::Expected<std::string> emitAssembly(const MicroKey &key);

  /// The number of kernels that this object compiled (those found in neither
  /// memory nor disk).
  int64_t compiled() const;
  ObjectCache &cache();
  const Isa &isa() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace assay::kernels
