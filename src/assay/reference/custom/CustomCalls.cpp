// Looks up custom calls by target when the plan is made.
#include "assay/reference/custom/CustomCalls.h"

namespace assay::reference {

namespace {
struct Row {
  llvm::StringRef target;
  StepFactory factory;
};
} // namespace

static constexpr Row kRows[] = {
#define ASSAY_CUSTOM_CALL(target, factory) {target, factory},
#include "assay/reference/custom/CustomCalls.def"
#undef ASSAY_CUSTOM_CALL
};

bool isAnnotation(mlir::Operation *op) {
  auto target = op->getAttrOfType<mlir::StringAttr>("call_target_name");
  return target && op->getNumResults() <= op->getNumOperands() &&
         llvm::any_of(kRows, [&](const Row &row) {
           return row.target == target.getValue() && row.factory == annotation;
         });
}

mlir::Attribute configOf(mlir::Operation *op, llvm::StringRef name) {
  for (llvm::StringRef holder :
       {"mhlo.backend_config", "backend_config", "mhlo.attributes"})
    if (auto dictionary = op->getAttrOfType<mlir::DictionaryAttr>(holder))
      if (mlir::Attribute found = dictionary.get(name))
        return found;
  return {};
}

int64_t configIntOf(mlir::Operation *op, llvm::StringRef name,
                    int64_t fallback) {
  auto number = mlir::dyn_cast_or_null<mlir::IntegerAttr>(configOf(op, name));
  if (!number)
    return fallback;
  bool natural =
      number.getType().isUnsignedInteger() || number.getType().isInteger(1);
  return natural ? static_cast<int64_t>(number.getValue().getZExtValue())
                 : number.getValue().getSExtValue();
}

/// The step of a function that the caller of the program provides.
static llvm::Expected<std::unique_ptr<Step>>
ownFunction(const StepSpec &spec, const program::CustomFunction &function) {
  if (spec.shadow)
    return makeError(ErrorCode::NotFound, "a function has no shadow");
  for (mlir::Type type : spec.op->getResultTypes())
    if (!mlir::isa<mlir::ShapedType>(type))
      return makeError(ErrorCode::Unsupported,
                       "a function of the caller's makes tensors only");
  return program::makeStep([function](StepContext &context) -> llvm::Error {
    std::vector<Tensor> operands;
    for (size_t i = 0; i < context.operandCount(); ++i) {
      if (!context.operandValue(i).isTensor())
        return makeError(ErrorCode::Unsupported, "operand {0} is not a tensor", i);
      llvm::Expected<Tensor> dense = context.dense(i);
      if (!dense)
        return dense.takeError();
      operands.push_back(std::move(*dense));
    }
    llvm::SmallVector<Tensor *, 4> results;
    for (size_t i = 0; i < context.results.size(); ++i)
      results.push_back(&context.out(i));
    return function(context.op, operands, results);
  });
}

llvm::Expected<std::unique_ptr<Step>> customCallStep(const StepSpec &spec,
                                                     llvm::StringRef target) {
  if (spec.functions)
    if (auto own = spec.functions->find(target); own != spec.functions->end())
      return ownFunction(spec, own->second);
  for (const Row &row : kRows)
    if (row.target == target)
      return row.factory(spec);
  llvm::Expected<std::unique_ptr<Step>> lapack = lapackCall(spec, target);
  if (!lapack || *lapack)
    return lapack;
  return makeError(ErrorCode::Unsupported,
                   "custom_call target '{0}' is unknown to the reference "
                   "engine; it knows check.expect_eq, check.expect_close, "
                   "check.expect_almost_eq, check.eq, shape_assertion, "
                   "annotations of sharding "
                   "and placement, ApproxTopK, JAX's callbacks without a "
                   "result, and LAPACK's routines as JAX calls them "
                   "(lapack_spotrf_ffi, ...); give a function of yours with "
                   "--custom-call {0}=LIBRARY.so:FUNCTION",
                   target);
}

} // namespace assay::reference
