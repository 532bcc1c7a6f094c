// Python functions that programs call. The package registers one C function,
// which receives every such call and finds the Python function by the number in
// the call.
#include "Callback.h"
#include "Ffi.h"
#include "Propagation.h"

#include "assay/engine/CustomLibrary.h"
#include "assay/support/Error.h"
#include "assay/support/Interrupt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <csignal>

namespace assay::pjrt {

static std::atomic<assay_custom_call_function_t> callback{nullptr};

/// A Ctrl-C while Python runs is raised and lost inside the callback. So the
/// signal is raised again, for the code that called the program.
static int callPython(const assay_custom_call_t *call) {
  if (Interrupt::requested())
    return 1;
  int code = callback.load()(call);
  if (Interrupt::requested())
    std::raise(SIGINT);
  return code;
}

llvm::Error showSharding(llvm::StringRef key, llvm::StringRef sharding) {
  if (!callback)
    return llvm::Error::success();
  std::string attributes = llvm::formatv(
      "{0}", llvm::json::Value(llvm::json::Object{
                 {"inspect", llvm::toHex(key, true)}, {"sharding", sharding}}));
  char message[1024] = "";
  assay_custom_call_t call = {};
  call.struct_size = sizeof call;
  call.abi_version = ASSAY_CUSTOM_CALL_ABI_VERSION;
  call.target = kInspectTarget.data();
  call.attributes = attributes.c_str();
  call.message = message;
  call.message_size = sizeof message;
  if (callPython(&call) != 0)
    return makeError(assay::ErrorCode::InvalidArgument, "{0}: {1}",
                     kInspectTarget, message);
  return llvm::Error::success();
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
