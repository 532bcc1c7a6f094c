// custom_call @shape_assertion(holds, values...): JAX exports it for the
// constraints that callers stated for dimensions. {0}, {1}, ... in
// `error_message` are replaced by the values.
#include "assay/reference/Indices.h"
#include "assay/reference/Ops.h"

namespace assay::reference {

static std::string filledIn(llvm::StringRef message, StepContext &context) {
  std::string text = message.str();
  for (size_t i = 1; i < context.operandCount(); ++i) {
    std::string place = "{" + std::to_string(i - 1) + "}",
                value = std::to_string(
                    indexAt(context.operandValue(i).tensor(), 0));
    for (size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  }
  return text;
}

std::unique_ptr<Step> makeShapeAssertion(const StepSpec &spec) {
  return program::makeOwningStep([message =
                                      stringOf(spec.op, "error_message").str()](
                                     StepContext &context) -> llvm::Error {
    if (context.operandCount() > 0 &&
        context.operandValue(0).tensor().bytes()[0] != std::byte{0})
      return llvm::Error::success();
    return makeError(ErrorCode::InvalidArgument, "shape assertion failed: {0}",
                     filledIn(message, context));
  });
}

} // namespace assay::reference
