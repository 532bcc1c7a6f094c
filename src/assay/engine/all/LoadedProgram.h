/// A program planned for an engine and called from another program's process:
/// the basis of the Python module and the C interface.
#pragma once

#include "assay/engine/all/Engines.h"
#include "assay/support/ThreadPool.h"

#include <mutex>

namespace assay::engine {

class LoadedProgram {
public:
  struct Options {
    std::string entry, engine = "reference";
    int threads = 0;       ///< 0: all cores
    int64_t maxMemory = 0; ///< bytes; 0: 80 % of the machine's
    std::shared_ptr<const program::CustomFunctions> functions;
    std::string algorithm = "direct"; ///< of convolutions; also wino, auto
    /// Whether an argument in the buffer of the last run always has the same
    /// bytes. If so, what was derived from it (packed weights) is kept.
    bool keepsArguments = false;
    /// Finds the problems for engines that know whole problems
    /// (verify::offersFor). Without it, these engines leave everything to the
    /// reference.
    Recogniser recogniser;
    /// Engine native: the scales of channels may be folded into filters that do
    /// not change.
    bool foldsScales = true;
  };
  /// Errors: those of parsing, planning, of an unknown engine or algorithm; Unsupported
  /// for arguments and results that are not tensors.
  static llvm::Expected<std::unique_ptr<LoadedProgram>>
  create(std::shared_ptr<const program::Program> program,
         const Options &options);

  /// Dimensions that only a run knows are ShapedType::kDynamic.
  llvm::ArrayRef<tensor::TensorType> inputs() const { return inputs_; }
  llvm::ArrayRef<tensor::TensorType> outputs() const { return outputs_; }

  /// Returns dense results. The first failed check is an error (Mismatch), as
  /// in a program that stops there. Threads: any; one run at a time.
  llvm::Expected<std::vector<tensor::Tensor>>
  run(llvm::ArrayRef<tensor::Tensor> arguments);

private:
  LoadedProgram(const Options &options, int64_t maxMemory)
      : threads_(options.threads),
        maxMemory_(maxMemory) {}

  ThreadPool threads_;
  int64_t maxMemory_; ///< of a run; the results of earlier runs are the
                      ///< caller's
  std::vector<tensor::TensorType> inputs_, outputs_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<program::Plan> plan_;
  std::mutex mutex_; ///< a plan has one set of threads
};

} // namespace assay::engine
