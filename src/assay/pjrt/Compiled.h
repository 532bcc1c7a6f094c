/// A program planned for the client's engine, shared by all handles of an
/// executable.
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
  /// The same program for a case where devices have their own values of the
  /// arguments that are true in `arguments`. Errors: those of create.
  llvm::Expected<std::shared_ptr<Compiled>>
  forOwn(const std::vector<bool> &arguments);

  /// Runs the program and returns dense results. The run may reuse the memory
  /// of donated arguments. Threads: any; concurrent runs use separate plans.
  llvm::Expected<std::vector<tensor::Tensor>>
  run(std::vector<tensor::Tensor> arguments);

  Client &client;
  std::string name, code, serializedOptions, fingerprint;
  CompileOptions options;
  std::vector<tensor::TensorType> inputs, outputs; ///< types of the whole
                                                   ///< values
  std::vector<Placement> argumentPlacements, resultPlacements;
  std::vector<Layout> argumentLayouts, resultLayouts; ///< as the program requests; arguments in others are accepted
  std::vector<int> resultMemories; ///< indices into kMemoryKinds
  std::vector<bool> donated; ///< per argument
  /// Which arguments are tokens: JAX represents them as i1 without elements.
  std::vector<bool> tokens;

  // The types and memory kinds of the results as the arrays that the interface
  // returns.
  std::vector<BufferType> outputTypes;
  std::vector<int64_t> outputDims;
  std::vector<size_t> outputRanks;
  std::vector<const char *> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  /// The text that OptimizedProgram returns: the program or, for several
  /// devices or with layouts, its signature with shardings and layouts in XLA's
  /// notation.
  std::string optimized;

  Compiled(Client &client) : client(client) {}

private:
  using Plans = std::vector<std::unique_ptr<program::Plan>>;

  /// `keeps`: keep values derived from weights (such as packed ones) for later
  /// runs.
  llvm::Expected<std::unique_ptr<program::Plan>> makePlan(bool keeps) const;
  /// Whether these arguments are mostly the same tensors as in the two previous
  /// calls, as is the case for weights.
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
  mutable std::mutex planning_; ///< passes of planning write into the program's
                                ///< context
  Plans idle_, idleKeeping_;
  std::vector<const void *> last_; ///< addresses of the last call's arguments
  int repeats_ = 0;                ///< further calls with mostly the same
                                   ///< arguments
  std::map<std::vector<bool>, std::shared_ptr<Compiled>> forOwn_;
};

/// The object that a framework compiles, queries and serializes.
struct Executable {
  std::shared_ptr<Compiled> compiled;
};

/// The object that a framework runs.
struct LoadedExecutable {
  std::shared_ptr<Compiled> compiled;
  std::vector<Device *> devices;
  std::atomic<bool> deleted{false};
};

} // namespace assay::pjrt
