// Steps with shapes that are known only at run time. A copy of the operation
// gets the current operand shapes as its types, its result shapes are inferred,
// and it is verified: an operation that passes cannot crash a step, whatever
// the shapes are. The step that the engine makes from the copy is kept. It is
// found again by the operand types and by the values that the result shapes
// were read from.
#include "assay/program/DynamicStep.h"
#include "assay/dialect/InferOp.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/numerics/Convert.h"
#include "assay/program/DynamicWindow.h"
#include "assay/program/Types.h"
#include "mlir/IR/Diagnostics.h"

#include <list>
#include <mutex>

namespace assay::program {

namespace {
/// The operation with static types, and the step made from it.
struct Compiled {
  llvm::SmallVector<TensorType, 3> operands;
  llvm::SmallVector<TensorType, 1> results;
  std::unique_ptr<mlir::Block> block; ///< owns the operation; its arguments are
                                      ///< the operands
  mlir::Operation *op = nullptr;
  std::unique_ptr<Step> step;
};

class DynamicStep final : public Step {
public:
  DynamicStep(const StepSpec &spec,
              std::shared_ptr<const StepCompiler> compiler)
      : op_(spec.op), numeric_(spec.numeric), shadow_(spec.shadow),
        functions_(spec.functions), resultTypes_(spec.results),
        compiler_(std::move(compiler)) {}
  bool ownsResults() const override { return true; }
  bool isRegionStep() const override { return op_->getNumRegions() > 0; }
  llvm::Error run(StepContext &context) const override;
  RegionTask
  start(StepContext &context,
        llvm::MutableArrayRef<RegionEvaluator> regions) const override;

private:
  using Made = std::shared_ptr<const Compiled>;
  llvm::Expected<Made> compiledFor(StepContext &context) const;
  llvm::Expected<Compiled> compile(StepContext &context) const;
  llvm::Error inferInto(Compiled &made, StepContext &context) const;
  llvm::Error allocate(const Compiled &made, StepContext &context) const;

  mlir::Operation *op_;
  NumericOptions numeric_;
  bool shadow_;
  const CustomFunctions *functions_; ///< kept by the plan
  llvm::SmallVector<TensorType, 1> resultTypes_;
  std::shared_ptr<const StepCompiler> compiler_;
  mutable std::list<Made> known_; ///< newest first; under typesMutex()
};
} // namespace

/// How many sets of shapes an operation stays compiled for. Limited, because a
/// loop over lengths would otherwise accumulate steps without end.
static constexpr size_t kMostKept = 8;

llvm::Expected<TensorType> dynamicTypeOf(mlir::Type type) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked || ranked.hasStaticShape())
    return tensorTypeOf(type);
  llvm::Expected<TensorType> element =
      tensorTypeOf(mlir::RankedTensorType::get({}, ranked.getElementType()));
  if (!element)
    return element;
  return TensorType{element->element, tensor::Shape(ranked.getShape().begin(),
                                                    ranked.getShape().end())};
}

bool isDynamic(const TensorType &type) {
  return llvm::any_of(type.shape, mlir::ShapedType::isDynamic);
}

bool fits(const TensorType &pattern, const TensorType &actual) {
  if (!(pattern.element == actual.element) ||
      pattern.shape.size() != actual.shape.size())
    return false;
  for (auto [wanted, size] : llvm::zip_equal(pattern.shape, actual.shape))
    if (!mlir::ShapedType::isDynamic(wanted) && wanted != size)
      return false;
  return true;
}

llvm::Error checkBounds(mlir::Type type, llvm::ArrayRef<int64_t> shape) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  auto extensions = ranked
                        ? mlir::dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(
                              ranked.getEncoding())
                        : stablehlo::TypeExtensionsAttr();
  if (!extensions || extensions.getBounds().size() != shape.size())
    return llvm::Error::success();
  for (auto [d, bound] : llvm::enumerate(extensions.getBounds()))
    if (!mlir::ShapedType::isDynamic(bound) && shape[d] > bound)
      return makeError(ErrorCode::InvalidArgument,
                       "dimension {0} has size {1}, its type's "
                       "#stablehlo.bounds allow at most {2}",
                       d, shape[d], bound);
  return llvm::Error::success();
}

/// Runs `step` and turns its diagnostics into the error's text.
static llvm::Error diagnosed(mlir::MLIRContext *context,
                             llvm::function_ref<mlir::LogicalResult()> step) {
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        messages += (messages.empty() ? "" : "\n") + diagnostic.str();
      });
  if (mlir::succeeded(step()))
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument,
                   "with the shapes of this run: {0}", messages);
}

static stablehlo::Dims integersOf(const Tensor &tensor) {
  stablehlo::Dims values(static_cast<size_t>(tensor.size()));
  numerics::ElementType i64 = numerics::ElementType::integer(64);
  for (size_t i = 0; i < values.size(); ++i)
    numerics::convertArray(
        tensor.elementType(),
        tensor.bytes() +
            (tensor.isSplat() ? 0 : i) *
                static_cast<size_t>(tensor.elementType().storageBytes()),
        i64, &values[i], 1);
  return values;
}

static stablehlo::Dims valuesOf(StepContext &context, unsigned i) {
  const Value &value = context.operandValue(i);
  return value.isTensor() ? integersOf(value.tensor()) : stablehlo::Dims();
}

static mlir::Type staticType(mlir::Type type, llvm::ArrayRef<int64_t> shape) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return ranked ? mlir::RankedTensorType::get(shape, ranked.getElementType())
                : type;
}

llvm::Error DynamicStep::inferInto(Compiled &made, StepContext &context) const {
  llvm::SmallVector<stablehlo::Dims> shapes;
  auto values = [&](unsigned i) { return valuesOf(context, i); };
  auto complete = [&]() -> mlir::LogicalResult {
    auto inferred = stablehlo::inferResults(made.op, values);
    if (mlir::failed(inferred))
      return mlir::failure();
    shapes = std::move(*inferred);
    for (auto [result, shape] :
         llvm::zip_equal(made.op->getResults(), shapes)) {
      for (int64_t size : shape)
        if (size < 0)
          return made.op->emitOpError() << "has a size of " << size;
      result.setType(staticType(result.getType(), shape));
    }
    mlir::OperationName name = made.op->getName();
    if (mlir::failed(name.verifyInvariants(made.op)))
      return mlir::failure();
    return name.verifyRegionInvariants(made.op);
  };
  if (llvm::Error error = diagnosed(op_->getContext(), complete))
    return error;
  for (auto [type, shape, result, written] : llvm::zip_equal(
           resultTypes_, shapes, made.op->getResults(), op_->getResults())) {
    if (llvm::Error error = checkBounds(written.getType(), shape))
      return error;
    // refuse sizes that overflow before anything is allocated
    if (mlir::isa<mlir::ShapedType>(result.getType()))
      if (llvm::Error error = tensorTypeOf(result.getType()).takeError())
        return error;
    made.results.push_back(
        {type.element, tensor::Shape(shape.begin(), shape.end())});
  }
  return llvm::Error::success();
}

llvm::Expected<Compiled> DynamicStep::compile(StepContext &context) const {
  Compiled made;
  made.block = std::make_unique<mlir::Block>();
  auto values = [&](unsigned i) { return valuesOf(context, i); };
  made.op = reduceWindowOf(op_, values);
  if (!made.op)
    made.op = op_->clone();
  made.block->push_back(made.op);
  for (unsigned i = 0; i < made.op->getNumOperands(); ++i) {
    const Value &value = context.operandValue(i);
    mlir::Type type = op_->getOperand(i).getType();
    if (value.isTensor())
      type = staticType(type, value.tensor().shape());
    made.op->setOperand(i, made.block->addArgument(type, op_->getLoc()));
    // in a shadow run this is the type of the shadow, which the element type
    // was widened to
    made.operands.push_back(value.isTensor() ? context.operand(i).type()
                                             : TensorType());
  }
  if (llvm::Error error = inferInto(made, context))
    return error;
  StepSpec spec{made.op,  made.operands, made.results,
                numeric_, shadow_,       functions_};
  llvm::Expected<std::unique_ptr<Step>> step = compiler_->compile(spec);
  if (!step)
    return step.takeError();
  made.step = std::move(*step);
  return made;
}

/// The program's context creates types without locking, and several threads may
/// run one plan.
static std::mutex &typesMutex() {
  static std::mutex mutex;
  return mutex;
}

/// Whether a result's shape may depend on the values of an operand. A step can
/// be reused only if the operand shapes determine all result shapes.
static bool dependsOnValues(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  name.consume_front("stablehlo.");
  bool sliceOfKnownSize =
      name == "dynamic_slice" || name == "dynamic_update_slice";
  return (name.starts_with("dynamic_") && !sliceOfKnownSize) ||
         name == "real_dynamic_slice" || name == "set_dimension_size" ||
         name == "rng" || name == "custom_call";
}

llvm::Expected<DynamicStep::Made>
DynamicStep::compiledFor(StepContext &context) const {
  std::lock_guard<std::mutex> lock(typesMutex());
  auto same = [&](const Compiled &made) {
    for (size_t i = 0; i < made.operands.size(); ++i)
      if (context.operandValue(i).isTensor() &&
          !(context.operand(i).type() == made.operands[i]))
        return false;
    return true;
  };
  if (!dependsOnValues(op_))
    for (const Made &made : known_)
      if (same(*made))
        return made;
  llvm::Expected<Compiled> made = compile(context);
  if (!made)
    return made.takeError();
  known_.push_front(std::make_shared<const Compiled>(std::move(*made)));
  if (known_.size() > kMostKept)
    known_.pop_back();
  return known_.front();
}

llvm::Error DynamicStep::allocate(const Compiled &made,
                                  StepContext &context) const {
  if (made.step->ownsResults())
    return llvm::Error::success();
  for (size_t i = 0; i < made.results.size(); ++i) {
    llvm::Expected<Tensor> tensor = context.allocate(made.results[i]);
    if (!tensor)
      return tensor.takeError();
    context.setOut(i, std::move(*tensor));
  }
  return llvm::Error::success();
}

llvm::Error DynamicStep::run(StepContext &context) const {
  llvm::Expected<Made> made = compiledFor(context);
  if (!made)
    return made.takeError();
  if ((*made)->step->isRegionStep())
    return makeError(ErrorCode::Unsupported,
                     "its body is evaluated element by element, which beside "
                     "a shadow or after a custom_call needs static shapes");
  if (llvm::Error error = allocate(**made, context))
    return error;
  mlir::Operation *whole = context.op;
  context.op = (*made)->op;
  llvm::Error error = (*made)->step->run(context);
  context.op = whole;
  return error;
}

RegionTask
DynamicStep::start(StepContext &context,
                   llvm::MutableArrayRef<RegionEvaluator> regions) const {
  llvm::Expected<Made> made = compiledFor(context);
  if (!made)
    co_return made.takeError();
  if (llvm::Error error = allocate(**made, context))
    co_return std::move(error);
  if (!(*made)->step->isRegionStep())
    co_return (*made)->step->run(context);
  RegionTask task = (*made)->step->start(context, regions);
  task.resume();
  while (!task.done()) {
    co_await std::suspend_always();
    task.resume();
  }
  co_return task.takeOutcome();
}

std::unique_ptr<Step>
makeDynamicStep(const StepSpec &spec,
                std::shared_ptr<const StepCompiler> compiler) {
  return std::make_unique<DynamicStep>(spec, std::move(compiler));
}

} // namespace assay::program
