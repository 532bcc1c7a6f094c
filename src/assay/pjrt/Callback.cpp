// Python functions that programs call: the package sets one C function, which
// gets every such call and finds the Python function by the number in it.
#include "Callback.h"

#include "assay/engine/CustomLibrary.h"

#include <atomic>

namespace assay::pjrt {

static std::atomic<assay_custom_call_function_t> callback{nullptr};

std::shared_ptr<const program::CustomFunctions> customFunctions() {
  auto functions = std::make_shared<program::CustomFunctions>();
  if (assay_custom_call_function_t function = callback)
    (*functions)[kCallbackTarget.str()] =
        engine::customFunction(function, kCallbackTarget);
  return functions;
}

} // namespace assay::pjrt

extern "C" void assay_pjrt_set_callback(assay_custom_call_function_t function) {
  assay::pjrt::callback = function;
}
