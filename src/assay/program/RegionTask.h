/// How a step evaluates the regions of its operation (a reducer, a comparator,
/// an update computation) without C++ recursion. The algorithm is a coroutine.
/// Wherever it needs its region it calls
///
///     llvm::Error error = co_await region.evaluate(arguments, results, lanes);
///
/// A region with a scalar body was compiled to a lane program and answers at
/// once, for all lanes in vectorised loops. Any other body suspends the
/// coroutine: the executor pushes a frame, runs the region's own plan lane by
/// lane, and resumes the coroutine.
#pragma once

#include "assay/program/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace assay::program {

/// One argument or result of a region for many independent evaluations: lane i
/// is element i of `values`. In a run with shadows, `shadows` holds the wider
/// values of float lanes (null for other types).
struct Lanes {
  void *values = nullptr;
  void *shadows = nullptr;
};

/// A region body compiled for lanes (reference::LaneProgram); one per region
/// and plan, stateless.
class LaneFunction {
public:
  virtual ~LaneFunction() = default;
  /// results[r].values[i] = body(arguments[a].values[i]...). Results may share
  /// the memory of the arguments.
  virtual llvm::Error evaluate(llvm::ArrayRef<Lanes> arguments,
                               llvm::ArrayRef<Lanes> results,
                               int64_t lanes) const = 0;
};

/// Evaluates one region of the running step.
class RegionEvaluator {
public:
  struct Call {
    RegionEvaluator &region;
    llvm::ArrayRef<Lanes> arguments, results;
    int64_t lanes;

    bool await_ready() {
      if (!region.function)
        return lanes == 0;
      region.error.emplace(
          region.function->evaluate(arguments, results, lanes));
      return true;
    }
    void await_suspend(std::coroutine_handle<>) { region.pending = this; }
    llvm::Error await_resume() {
      if (!region.error)
        return llvm::Error::success();
      llvm::Error result = std::move(*region.error);
      region.error.reset();
      return result;
    }
  };

  /// The arrays must stay alive until the await returns, so do not pass
  /// temporaries.
  Call evaluate(llvm::ArrayRef<Lanes> arguments, llvm::ArrayRef<Lanes> results,
                int64_t lanes) {
    return Call{*this, arguments, results, lanes};
  }

  RegionEvaluator() = default;
  RegionEvaluator(RegionEvaluator &&) = default;
  ~RegionEvaluator() {
    if (error)
      llvm::consumeError(std::move(*error));
  }

  const LaneFunction *function =
      nullptr;             ///< null: the executor runs the region's plan
  uint32_t block = 0;      ///< the region's block in its function's plan
  Call *pending = nullptr; ///< set while the coroutine is suspended
  std::optional<llvm::Error> error; ///< the outcome of the last evaluation
};

/// The coroutine type of Step::start; `co_return` returns success or the error.
class RegionTask {
public:
  struct promise_type {
    std::optional<llvm::Error> outcome;
    RegionTask get_return_object() {
      return RegionTask(
          std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(llvm::Error error) { outcome.emplace(std::move(error)); }
    void unhandled_exception() { std::terminate(); }
  };

  RegionTask() = default;
  explicit RegionTask(std::coroutine_handle<promise_type> handle)
      : handle_(handle) {}
  RegionTask(RegionTask &&other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  RegionTask &operator=(RegionTask &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~RegionTask() {
    if (!handle_)
      return;
    if (handle_.promise().outcome)
      llvm::consumeError(std::move(*handle_.promise().outcome));
    handle_.destroy();
  }

  explicit operator bool() const { return static_cast<bool>(handle_); }
  void resume() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  llvm::Error takeOutcome() {
    llvm::Error error = std::move(*handle_.promise().outcome);
    handle_.promise().outcome.reset();
    return error;
  }

private:
  std::coroutine_handle<promise_type> handle_;
};

} // namespace assay::program
