/// The engine interface for every command that uses one. An engine compiles
/// operations into steps of a plan, or says why it does not; the reference
/// computes the operations that it refuses. `makeEngine` (all/Engines.h) makes
/// an engine by its name in Engines.def.
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
  /// Engine `reference`: kernels may compute products that would take it more
  /// than about a millisecond (--fast-ref).
  bool fastReference = false;
  /// Runs the plan in a worker process (--isolate). Engines of other libraries
  /// always run in one.
  bool isolated = false;
  /// Engine `native`: a folder where the program is written after each pass;
  /// empty: not written.
  std::string dumpPasses;
  int threads = 0; ///< of the worker process, 0: all cores
  /// A worker that does not answer for this long counts as hanging; 0: a minute
  /// for engines of other libraries, no limit for Assay's own.
  double timeoutSeconds = 0;
  Recogniser recogniser;     ///< finds the problems to offer; may be null
  std::string workerProgram; ///< the program of the worker process; empty: this
                             ///< program
};

/// The layout of an operand: sizes and strides in elements. A transposed or
/// broadcast value that is not stored has the strides of a view.
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
  /// One layout per operand, where an operand is read through a view; empty:
  /// all are dense and row-major. An engine that cannot read them refuses the
  /// operation.
  llvm::ArrayRef<Layout> layouts = {};
};

/// A step, or why the engine has none.
using Compiled = std::variant<std::unique_ptr<program::Step>, Refusal>;

/// One program to be planned.
struct PlanRequest : program::PlanOptions {
  /// Operations whose results an observer must see; null: there are none. No
  /// step may combine such an operation with its readers.
  std::function<bool(mlir::Operation *)> wanted;
  /// Whether arguments are the same tensors in every run of the plan: if so,
  /// values made from them (packed weights) may be kept.
  bool keepsArguments = true;
};

/// The offered problems that an engine refused, with the reasons, and how often
/// the reference executed each.
using KeptCounts = std::map<std::string, int64_t>;

class Engine {
public:
  /// `rest` compiles the operations that the engine refuses: the reference.
  Engine(std::string name, std::shared_ptr<const program::StepCompiler> rest)
      : name_(std::move(name)), rest_(std::move(rest)) {}
  virtual ~Engine();
  const std::string &name() const { return name_; }

  /// The step of one operation. A refusal is a regular result; errors are
  /// failures of the engine.
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

  /// How the worker process ended its last request: the cause of a Mismatch
  /// when planning or running. Ok: normally, or there is no worker.
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
