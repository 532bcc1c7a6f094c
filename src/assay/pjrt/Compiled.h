/// A program planned for the client's engine, shared by every handle of
/// an executable.
#pragma once

#include "CompileOptions.h"
#include "Objects.h"
#include "Placement.h"
#include "Watching.h"

#include <map>

namespace assay::pjrt {

class Compiled {
public:
  /// `code` is MLIR text, bytecode or a portable artifact. Errors: those of
  /// parsing and planning.
  static llvm::Expected<std::shared_ptr<Compiled>>
  create(Client &client, llvm::StringRef code, llvm::StringRef options,
         const std::vector<bool> &own = {});
  /// The same program where devices have their own values of these arguments, by
  /// number. Errors: those of create.
  llvm::Expected<std::shared_ptr<Compiled>>
  forOwn(const std::vector<bool> &arguments);

  /// Dense results. A donated argument's memory may serve the run. Threads:
  /// any; runs that meet have a plan each.
  llvm::Expected<std::vector<tensor::Tensor>>
  run(std::vector<tensor::Tensor> arguments);

  Client &client;
  std::string name, code, serializedOptions, fingerprint;
  CompileOptions options;
  std::vector<tensor::TensorType> inputs, outputs; ///< whole values
  std::vector<Placement> argumentPlacements, resultPlacements;
  std::vector<Layout> argumentLayouts, resultLayouts; ///< as the program asks; arguments come in any
  std::vector<int> resultMemories; ///< of kMemoryKinds
  std::vector<bool> donated; ///< per argument
  /// Arguments that are tokens: JAX gives and takes i1 without an element.
  std::vector<bool> tokens;

  // The same for the interface, which wants arrays.
  std::vector<BufferType> outputTypes;
  std::vector<int64_t> outputDims;
  std::vector<size_t> outputRanks;
  std::vector<const char *> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  /// What OptimizedProgram returns: the program; for several devices or with
  /// layouts its signature, with these in XLA's notation.
  std::string optimized;

  Compiled(Client &client) : client(client) {}

private:
  using Plans = std::vector<std::unique_ptr<program::Plan>>;

  /// `keeps`: values made from weights (packed ones) are kept for the next run.
  llvm::Expected<std::unique_ptr<program::Plan>> makePlan(bool keeps) const;
  /// Whether these arguments are mostly the tensors of the two calls before, as
  /// weights are.
  bool areKept(llvm::ArrayRef<tensor::Tensor> arguments);
  llvm::Expected<std::vector<program::Value>>
  execute(const program::Plan &plan, std::vector<tensor::Tensor> arguments,
          program::RunContext &context) const;
  llvm::Error readSignature(std::vector<Cut> cuts);
  void readDonations(mlir::func::FuncOp function);
  llvm::Error readMemories(mlir::func::FuncOp function);
  void describe();
  std::string signature() const;

  std::shared_ptr<const program::Program> program_;
  SingleOperations singles_;
  std::mutex mutex_;
  mutable std::mutex planning_; ///< passes of a plan write into the program's context
  Plans idle_, idleKeeping_;
  std::vector<const void *> last_; ///< memory of the last call's arguments
  int repeats_ = 0;                ///< calls since with mostly the same
  std::map<std::vector<bool>, std::shared_ptr<Compiled>> forOwn_;
};

/// What a framework compiles, asks about and serializes.
struct Executable {
  std::shared_ptr<Compiled> compiled;
};

/// What it runs.
struct LoadedExecutable {
  std::shared_ptr<Compiled> compiled;
  std::vector<Device *> devices;
  std::atomic<bool> deleted{false};
};

} // namespace assay::pjrt
