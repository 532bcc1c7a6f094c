/// The table of functions that a C handler (jax.ffi) may call.
#pragma once

#include "assay/pjrt_abi/Ffi.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace assay::ffi {

/// An error that a handler returns, with absl's code.
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

/// The context of one call. The caller keeps the results of earlier stages.
struct ExecutionContext {
  std::map<Stage, void *> *states;
};

const Api &table();

} // namespace assay::ffi
