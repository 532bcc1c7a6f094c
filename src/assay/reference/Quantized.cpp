// The step around an operation on quantised tensors. At run time it dequantises
// each quantised operand to a float tensor, runs the inner step on these and
// the other operands, and quantises the results. Source: StableHLO
// specification, "Quantization computations".
#include "assay/reference/Quantized.h"
#include "assay/numerics/Quantization.h"
#include "assay/program/Types.h"

#include "llvm/ADT/STLExtras.h"

namespace assay::reference {

// Operations on elements in their stored form: those that only move elements,
// whose operands and results have one type (along a quantised axis also the
// same scale), and those with a region, whose body computes.
static constexpr llvm::StringLiteral kStoredOperations[] = {
#define ASSAY_STORED(name) "stablehlo." name,
#include "assay/reference/StoredOps.def"
#undef ASSAY_STORED
};

namespace {
class QuantizedStep final : public Step {
public:
  QuantizedStep(const StepSpec &outer, const StepSpec &inner,
                std::unique_ptr<Step> step)
      : outerResults_(outer.results), innerOperands_(inner.operands),
        innerResults_(inner.results), step_(std::move(step)) {
    for (const TensorType &type : outer.operands)
      converts_.push_back(type.element.quantization != nullptr);
  }
  bool ownsResults() const override { return true; }
  llvm::Error run(StepContext &context) const override;

private:
  llvm::Error allocate(StepContext &inner) const;
  llvm::SmallVector<bool, 3> converts_; ///< operand i is quantised
  llvm::SmallVector<TensorType, 1> outerResults_;
  llvm::SmallVector<TensorType, 3> innerOperands_;
  llvm::SmallVector<TensorType, 1> innerResults_;
  std::unique_ptr<Step> step_;
};
} // namespace

static bool isQuantized(const TensorType &type) {
  return type.element.quantization != nullptr;
}

bool computesOnQuantized(const StepSpec &spec) {
  if (llvm::none_of(spec.operands, isQuantized) &&
      llvm::none_of(spec.results, isQuantized))
    return false;
  llvm::StringRef name = spec.op->getName().getStringRef();
  return (name.starts_with("stablehlo.") || name.starts_with("chlo.")) &&
         !llvm::is_contained(kStoredOperations, name);
}

/// The float type that a quantised type expresses; in a shadow run, its shadow
/// type.
static TensorType expressedType(const TensorType &type, bool shadow) {
  if (!isQuantized(type))
    return type;
  ElementType element = numerics::expressedOf(type.element);
  if (shadow)
    element = program::shadowTypeOf(element).value_or(element);
  return {element, type.shape};
}

static llvm::Expected<Tensor> dequantized(StepContext &context,
                                          const Tensor &operand,
                                          const TensorType &type) {
  if (operand.isSplat() && operand.elementType().quantization->axis < 0) {
    alignas(16) std::byte element[16];
    numerics::dequantizeArray(operand.elementType(), {}, operand.bytes(),
                              type.element, element);
    return Tensor::splat(type, element);
  }
  llvm::Expected<Tensor> dense = operand.dense();
  if (!dense)
    return dense;
  llvm::Expected<Tensor> result = context.allocate(type);
  if (result)
    numerics::dequantizeArray(operand.elementType(), type.shape, dense->bytes(),
                              type.element, result->mutableBytes());
  return result;
}

static llvm::Expected<Tensor>
quantized(StepContext &context, const Tensor &value, const TensorType &type) {
  if (value.isSplat() && type.element.quantization->axis < 0) {
    alignas(16) std::byte element[16];
    numerics::quantizeArray(type.element, {}, value.bytes(), element);
    return Tensor::splat(type, element);
  }
  llvm::Expected<Tensor> dense = value.dense();
  if (!dense)
    return dense;
  llvm::Expected<Tensor> result = context.allocate(type);
  if (result)
    numerics::quantizeArray(type.element, type.shape, dense->bytes(),
                            result->mutableBytes());
  return result;
}

/// Allocates the inner step's results, for a step that does not own them.
llvm::Error QuantizedStep::allocate(StepContext &inner) const {
  for (size_t i = 0; i < innerResults_.size(); ++i) {
    llvm::Expected<Tensor> tensor = inner.allocate(innerResults_[i]);
    if (!tensor)
      return tensor.takeError();
    inner.setOut(i, std::move(*tensor));
  }
  return llvm::Error::success();
}

llvm::Error QuantizedStep::run(StepContext &context) const {
  StepContext inner(context.run, context.op);
  inner.shadowRun = context.shadowRun;
  inner.operands = context.operands;
  inner.dying = context.dying;
  llvm::SmallVector<Value, 3> floats(converts_.size());
  for (size_t i = 0; i < converts_.size(); ++i) {
    if (!converts_[i])
      continue;
    llvm::Expected<Tensor> tensor =
        dequantized(context, context.operand(i), innerOperands_[i]);
    if (!tensor)
      return tensor.takeError();
    floats[i] = Value(std::move(*tensor));
    inner.operands[i] = &floats[i];
    inner.dying[i] = true;
  }
  llvm::SmallVector<Value, 1> results(innerResults_.size());
  inner.results = results;
  inner.shadows.resize(results.size());
  if (!step_->ownsResults())
    if (llvm::Error error = allocate(inner))
      return error;
  if (llvm::Error error = step_->run(inner))
    return error;
  for (size_t i = 0; i < results.size(); ++i) {
    llvm::Expected<Tensor> result =
        isQuantized(outerResults_[i])
            ? quantized(context, inner.out(i), outerResults_[i])
            : llvm::Expected<Tensor>(inner.out(i));
    if (!result)
      return result.takeError();
    context.setOut(i, std::move(*result));
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Step>> makeQuantizedStep(
    const StepSpec &spec,
    llvm::function_ref<llvm::Expected<std::unique_ptr<Step>>(const StepSpec &)>
        compile) {
  StepSpec inner = spec;
  for (TensorType &type : inner.operands)
    type = expressedType(type, spec.shadow);
  for (TensorType &type : inner.results)
    type = expressedType(type, spec.shadow);
  llvm::Expected<std::unique_ptr<Step>> step = compile(inner);
  if (!step)
    return step;
  return std::make_unique<QuantizedStep>(spec, inner, std::move(*step));
}

// Nothing to do between expressed types, because the surrounding step converts.
static llvm::Expected<std::unique_ptr<Step>> sameValues() {
  return program::makeOwningStep([](StepContext &context) -> llvm::Error {
    context.setOut(0, context.operand(0));
    return llvm::Error::success();
  });
}
llvm::Expected<std::unique_ptr<Step>> uniformQuantize(const StepSpec &) {
  return sameValues();
}
llvm::Expected<std::unique_ptr<Step>> uniformDequantize(const StepSpec &) {
  return sameValues();
}

} // namespace assay::reference
