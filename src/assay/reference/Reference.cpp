// The reference engine's dispatch. When the plan is made, an operation is
// looked up by name, first among the structured operations (Ops.def), then
// among the elementwise ones (Elementwise.def).
#include "assay/reference/Reference.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/LaneProgram.h"
#include "assay/reference/Ops.h"
#include "assay/reference/Quantized.h"
#include "assay/reference/Strided.h"
#include "llvm/ADT/StringMap.h"

namespace assay::reference {

namespace {
struct Row {
  llvm::StringRef name;
  StepFactory factory;
};
} // namespace

static constexpr Row kRows[] = {
#define ASSAY_OP(name, factory) {name, factory},
#include "assay/reference/Ops.def"
#undef ASSAY_OP
};

StepFactory findFactory(llvm::StringRef name) {
  for (const Row &row : kRows)
    if (row.name == name)
      return row.factory;
  return nullptr;
}

static llvm::Expected<Tensor> broadcastOperand(const Tensor &operand,
                                               const TensorType &type,
                                               StepContext &context) {
  llvm::Expected<Tensor> result =
      context.allocate({operand.elementType(), type.shape});
  if (result)
    copyBroadcast(context.op, operand.elementType().storageBytes(),
                  operand.shape(), operand.bytes(), type.shape,
                  result->mutableBytes(), &context.run.threads);
  return result;
}

// Runs one typed loop over all elements. Splat operands have stride 0, and if
// all operands are splats, the result is a splat.
static llvm::Error runElementwise(const ElementwiseFunction &function,
                                  const TensorType &type,
                                  StepContext &context) {
  llvm::SmallVector<const void *, 3> in;
  llvm::SmallVector<int64_t, 3> strides;
  bool allSplat = true;
  llvm::SmallVector<Tensor, 3> operands;
  for (size_t i = 0; i < context.operandCount(); ++i) {
    operands.push_back(context.operand(i));
    Tensor &operand = operands.back();
    if (!operand.isSplat() && operand.rank() > 0 &&
        operand.shape() != llvm::ArrayRef<int64_t>(type.shape)) {
      llvm::Expected<Tensor> repeated =
          broadcastOperand(operand, type, context);
      if (!repeated)
        return repeated.takeError();
      operand = std::move(*repeated);
    }
    // clamp and select accept rank-0 operands beside full ones
    bool broadcast =
        operand.isSplat() || (operand.rank() == 0 && !type.shape.empty());
    allSplat &= broadcast;
    in.push_back(operand.bytes());
    strides.push_back(broadcast ? 0 : 1);
  }
  if (allSplat && context.operandCount() > 0) {
    alignas(32) std::byte element[32];
    function.evaluate(in, strides, element, 1);
    context.setOut(0, Tensor::splat(type, element));
    return llvm::Error::success();
  }
  llvm::Expected<Tensor> result = context.allocate(type);
  if (!result)
    return result.takeError();
  auto *out = result->mutableBytes();
  context.run.threads.parallelFor(
      result->size(), 1 << 15, [&](int64_t begin, int64_t end) {
        llvm::SmallVector<const void *, 3> part;
        for (size_t i = 0; i < in.size(); ++i)
          part.push_back(static_cast<const std::byte *>(in[i]) +
                         begin * strides[i] *
                             function.operandType(i).storageBytes());
        function.evaluate(part, strides,
                          out + begin * type.element.storageBytes(),
                          end - begin);
      });
  context.setOut(0, std::move(*result));
  return llvm::Error::success();
}

/// The step of one operation on types without quantisation, or on stored
/// integers if it only moves them.
static llvm::Expected<std::unique_ptr<Step>>
compilePlain(const StepSpec &spec) {
  if (StepFactory factory = findFactory(spec.op->getName().getStringRef()))
    return factory(spec);
  if (!ElementwiseFunction::knows(spec.op))
    return makeError(ErrorCode::Unsupported,
                     "the reference engine has no such operation");
  llvm::SmallVector<ElementType, 3> operands;
  for (const TensorType &type : spec.operands)
    operands.push_back(type.element);
  llvm::Expected<ElementwiseFunction> function =
      ElementwiseFunction::make(spec.op, operands, spec.results[0].element);
  if (!function)
    return function.takeError();
  return program::makeOwningStep(
      [function = *function, type = spec.results[0]](StepContext &context) {
        return runElementwise(function, type, context);
      });
}

llvm::Expected<std::unique_ptr<Step>>
ReferenceCompiler::compile(const StepSpec &spec) const {
  return computesOnQuantized(spec) ? makeQuantizedStep(spec, compilePlain)
                                   : compilePlain(spec);
}

std::unique_ptr<program::LaneFunction>
ReferenceCompiler::compileLanes(mlir::Region &region, bool withShadow) const {
  return compileLaneProgram(region, withShadow);
}

} // namespace assay::reference
