/// What an engine is, to every command that takes one: it compiles operations
/// into steps of a plan, or says why not; what it refuses stays with the
/// reference. `makeEngine` (all/Engines.h) gives the engine of a name in
/// Engines.def.
#pragma once

#include "assay/engine/Offer.h"
#include "assay/program/PlanBuilder.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <variant>

namespace assay::engine {

/// The caller's options for an engine.
struct EngineOptions {
  /// Engine `reference`: products that would take it more than about a
  /// millisecond may be computed by kernels (--fast-ref).
  bool fastReference = false;
  /// The plan runs in a worker process (--isolate). Engines of other libraries
  /// always do.
  bool isolated = false;
  /// Engine `native`: a folder for the program after each pass; empty: none.
  std::string dumpPasses;
  int threads = 0; ///< of the worker process, 0: all cores
  /// A worker that gives no answer for so long counts as hanging; 0: a minute
  /// for engines of other libraries, no limit for Assay's own.
  double timeoutSeconds = 0;
  Recogniser recogniser;     ///< finds the problems to offer; may be null
  std::string workerProgram; ///< what a worker runs; empty: this program
};

/// The layout of an operand: sizes, strides in elements (of a transposed
/// or broadcast value that is not made: the strides that it would have).
struct Layout {
  tensor::Shape shape, strides;
  int64_t offset = 0; ///< of element zero
  static Layout dense(const program::TensorType &type) {
    return {type.shape, tensor::rowMajorStrides(type.shape), 0};
  }
};

/// One operation to be compiled.
struct OperationRequest {
  const program::StepSpec &spec;
  /// One per operand, where an operand is read through a view; empty: all are
  /// dense and row-major. An engine that cannot read them refuses.
  llvm::ArrayRef<Layout> layouts = {};
};

/// A step, or why the engine has none.
using Compiled = std::variant<std::unique_ptr<program::Step>, Refusal>;

/// One program to be planned.
struct PlanRequest : program::PlanOptions {
  /// Operations whose results an observer must see; null: none. No step covers
  /// such an operation together with its readers.
  std::function<bool(mlir::Operation *)> wanted;
  /// Arguments are the same tensors in every run of the plan: values made from
  /// them once (packed weights) may be kept.
  bool keepsArguments = true;
};

/// Offered problems that an engine refused, with their reasons: how many
/// executions stayed with the reference.
using KeptCounts = std::map<std::string, int64_t>;

class Engine {
public:
  /// `rest` compiles what the engine refuses: the reference.
  Engine(std::string name, std::shared_ptr<const program::StepCompiler> rest)
      : name_(std::move(name)), rest_(std::move(rest)) {}
  virtual ~Engine();
  const std::string &name() const { return name_; }

  /// The step of one operation. A refusal is an answer; errors are failures of
  /// the engine.
  virtual llvm::Expected<Compiled>
  compile(const OperationRequest &request) const = 0;

  /// A plan of the program: each operation compiled alone. An engine whose steps cover several
  /// makes them one operation of a clone first. Threads: any. Errors: those of buildPlan, and
  /// failures of the engine.
  virtual llvm::Expected<std::unique_ptr<program::Plan>>
  makePlan(std::shared_ptr<const program::Program> program,
           const PlanRequest &request) const;

  /// Counts over all runs of all plans so far.
  virtual KeptCounts kept() const { return {}; }

  /// How the worker process ended its last request: the code behind a
  /// Mismatch of a plan or run. Ok: well, or there is no worker.
  virtual WorkerResult::Kind lastWorkerResult() const {
    return WorkerResult::Kind::Ok;
  }

protected:
  /// The engine for refused operations.
  virtual std::unique_ptr<program::Step>
  keep(std::unique_ptr<program::Step> step, const Refusal &refusal) const {
    return step;
  }
  const program::StepCompiler &rest() const { return *rest_; }

private:
  class Compiler;
  std::string name_;
  std::shared_ptr<const program::StepCompiler> rest_;
};

} // namespace assay::engine
