/// The table of functions that a handler in C (jax.ffi) may call.
#pragma once

#include "assay/pjrt_abi/Ffi.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace assay::ffi {

/// An error of a handler, with absl's code.
struct Error {
  int code;
  std::string message;
};

/// A handler's promise to finish.
struct Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::unique_ptr<Error> error;
};

/// One call. The caller keeps the results of earlier stages.
struct ExecutionContext {
  std::map<Stage, void *> *states;
};

const Api &table();

} // namespace assay::ffi
