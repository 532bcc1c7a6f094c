// Python functions that programs call: the package sets one C function, which
// gets every such call and finds the Python function by the number in it.
#include "Callback.h"
#include "Ffi.h"

#include "assay/engine/CustomLibrary.h"
#include "assay/support/Interrupt.h"

#include <atomic>
#include <csignal>

namespace assay::pjrt {

static std::atomic<assay_custom_call_function_t> callback{nullptr};

/// A Ctrl-C that came while Python ran was raised and lost in there: it is sent
/// again, so that it is raised where the program was called.
static int callPython(const assay_custom_call_t *call) {
  if (Interrupt::requested())
    return 1;
  int code = callback.load()(call);
  if (Interrupt::requested())
    std::raise(SIGINT);
  return code;
}

std::shared_ptr<const program::CustomFunctions> customFunctions() {
  auto functions = std::make_shared<program::CustomFunctions>();
  if (callback)
    (*functions)[kCallbackTarget.str()] =
        engine::customFunction(callPython, kCallbackTarget);
  addForeignFunctions(*functions);
  return functions;
}

} // namespace assay::pjrt

extern "C" void assay_pjrt_set_callback(assay_custom_call_function_t function) {
  assay::pjrt::callback = function;
}
