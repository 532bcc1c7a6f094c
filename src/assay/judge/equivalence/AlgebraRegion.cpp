// Operations with regions (reduce, windows, scatter, map, sort): the reference's
// own step runs once more with the numbers of elements instead of a shadow; the
// region's body, on lanes of values and such numbers, is evaluated here. Only
// these lanes know that the shadow's words are numbers of elements.
#include "assay/judge/equivalence/AlgebraShadow.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Types.h"
#include "assay/reference/Elementwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>
#include <numeric>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using program::Lanes;
using program::Value;
using tensor::Tensor;

namespace assay::judge {

/// The body of a region, on lanes.
class AlgebraLanes final : public program::LaneFunction {
public:
  AlgebraLanes(Algebra &algebra, mlir::Region &region,
               std::vector<Element> &arena)
      : algebra_(algebra), region_(region), arena_(arena) {}

  llvm::Error evaluate(llvm::ArrayRef<Lanes> arguments,
                       llvm::ArrayRef<Lanes> results,
                       int64_t lanes) const override;

private:
  struct Register {
    ElementType type;
    std::vector<std::byte> raw;
    std::vector<double> values;
    std::vector<Element> elements;
    bool hasElements() const { return type.isFloat() || type.isComplex(); }
  };
  void toValues(Register &r, int64_t lanes) const;
  llvm::Error constant(mlir::Operation &op, Register &r, int64_t lanes) const;
  llvm::Error compute(mlir::Operation &op, Register &r, int64_t lanes) const;
  llvm::Error call(mlir::Operation &op, int64_t lanes, int depth) const;
  llvm::Error runBlock(mlir::Block &block, int64_t lanes, int depth) const;

  Algebra &algebra_;
  mlir::Region &region_;
  std::vector<Element> &arena_;
  mutable llvm::DenseMap<mlir::Value, Register> registers_;
  mutable llvm::DenseMap<mlir::Operation *, reference::ElementwiseFunction>
      functions_;
};

} // namespace assay::judge

void AlgebraLanes::toValues(Register &r, int64_t lanes) const {
  int64_t parts = partsOf(r.type);
  r.values.resize(static_cast<size_t>(lanes * parts));
  numerics::convertArray(r.type, r.raw.data(), wideType(r.type),
                         r.values.data(), lanes);
}

llvm::Error AlgebraLanes::constant(mlir::Operation &op, Register &r,
                                   int64_t lanes) const {
  mlir::ElementsAttr attribute = op.getAttrOfType<mlir::ElementsAttr>("value");
  llvm::Expected<Tensor> tensor = program::tensorOf(attribute, nullptr);
  if (!tensor)
    return tensor.takeError();
  int64_t width = r.type.storageBytes();
  r.raw.resize(static_cast<size_t>(lanes * width));
  for (int64_t lane = 0; lane < lanes; ++lane)
    std::memcpy(r.raw.data() + lane * width, tensor->bytes(),
                static_cast<size_t>(width));
  toValues(r, lanes);
  r.elements.clear();
  if (r.hasElements()) {
    auto parts = static_cast<size_t>(partsOf(r.type));
    for (size_t i = 0; i < r.values.size(); ++i)
      r.elements.push_back(i < parts ? algebra_.constant(r.values[i])
                                     : r.elements[i - parts]);
  }
  return llvm::Error::success();
}

llvm::Error AlgebraLanes::compute(mlir::Operation &op, Register &r,
                                  int64_t lanes) const {
  llvm::SmallVector<const Register *, 3> in;
  llvm::SmallVector<ElementType, 3> types;
  for (mlir::Value operand : op.getOperands()) {
    auto found = registers_.find(operand);
    if (found == registers_.end())
      return makeError(ErrorCode::Unsupported, "its body reads from outside");
    in.push_back(&found->second);
    types.push_back(found->second.type);
  }
  auto found = functions_.find(&op);
  if (found == functions_.end()) {
    if (!reference::ElementwiseFunction::knows(&op))
      return makeError(ErrorCode::Unsupported, "its body has {0}",
                       op.getName().getStringRef());
    llvm::Expected<reference::ElementwiseFunction> function =
        reference::ElementwiseFunction::make(&op, types, r.type);
    if (!function)
      return function.takeError();
    found = functions_.try_emplace(&op, std::move(*function)).first;
  }
  llvm::SmallVector<const void *, 3> raw;
  llvm::SmallVector<int64_t, 3> strides(in.size(), 1);
  llvm::SmallVector<Numbers, 3> numbers;
  for (const Register *operand : in) {
    raw.push_back(operand->raw.data());
    numbers.push_back(
        {operand->type, operand->values.data(),
         operand->elements.empty() ? nullptr : operand->elements.data()});
  }
  r.raw.resize(static_cast<size_t>(lanes * r.type.storageBytes()));
  found->second.evaluate(raw, strides, r.raw.data(), lanes);
  toValues(r, lanes);
  if (!r.hasElements()) {
    if (op.getName().getStringRef() == "stablehlo.compare" &&
        in[0]->hasElements())
      algebra_.compare(&op, in[0]->values, in[1]->values,
                       in[0]->type.part().format, [&](size_t at, bool holds) {
                         r.raw[at] = static_cast<std::byte>(holds);
                         r.values[at] = holds;
                       });
    return llvm::Error::success();
  }
  r.elements.assign(r.values.size(), Element());
  if (!algebra_.apply(&op, numbers, {r.type, r.values.data(), nullptr}, lanes,
                      r.elements.data()))
    return makeError(ErrorCode::Unsupported, "its body has {0}",
                     op.getName().getStringRef());
  return llvm::Error::success();
}

static ElementType elementTypeOf(mlir::Value value) {
  auto type = program::tensorTypeOf(value.getType());
  return type ? type->element
              : (llvm::consumeError(type.takeError()), ElementType());
}

/// The deepest nesting of calls in bodies.
static constexpr int kMostCalls = 32;

/// A call: the callee's body on the registers of the operands.
llvm::Error AlgebraLanes::call(mlir::Operation &op, int64_t lanes,
                               int depth) const {
  auto callee = op.getAttrOfType<mlir::FlatSymbolRefAttr>("callee");
  auto function =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(&op,
                                                                     callee);
  if (!function || function.isExternal() || depth > kMostCalls)
    return makeError(ErrorCode::Unsupported, "its body has {0}",
                     op.getName().getStringRef());
  mlir::Block &block = function.getBody().front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), op.getOperands())) {
    auto found = registers_.find(operand);
    if (found == registers_.end())
      return makeError(ErrorCode::Unsupported, "its body reads from outside");
    Register copy = found->second;
    registers_[argument] = std::move(copy);
  }
  if (llvm::Error error = runBlock(block, lanes, depth + 1))
    return error;
  for (auto [result, value] :
       llvm::zip(op.getResults(), block.getTerminator()->getOperands())) {
    Register copy = registers_.lookup(value);
    registers_[result] = std::move(copy);
  }
  return llvm::Error::success();
}

/// Operations that leave a scalar as it is.
static bool isScalarMove(mlir::Operation &op) {
  llvm::StringRef name = op.getName().getStringRef();
  auto isScalar = [](mlir::Type type) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  };
  return (name == "stablehlo.reshape" ||
          name == "stablehlo.broadcast_in_dim") &&
         isScalar(op.getOperand(0).getType()) &&
         isScalar(op.getResult(0).getType());
}

llvm::Error AlgebraLanes::runBlock(mlir::Block &block, int64_t lanes,
                                   int depth) const {
  for (mlir::Operation &op : block.without_terminator()) {
    llvm::StringRef name = op.getName().getStringRef();
    if (name == "func.call") {
      if (llvm::Error error = call(op, lanes, depth))
        return error;
      continue;
    }
    if (op.getNumResults() != 1)
      return makeError(ErrorCode::Unsupported, "its body has {0}", name);
    if (isScalarMove(op)) {
      auto found = registers_.find(op.getOperand(0));
      if (found == registers_.end())
        return makeError(ErrorCode::Unsupported, "its body reads from outside");
      Register copy = found->second;
      registers_[op.getResult(0)] = std::move(copy);
      continue;
    }
    Register r;
    r.type = elementTypeOf(op.getResult(0));
    if (llvm::Error error = name == "stablehlo.constant"
                                ? constant(op, r, lanes)
                                : compute(op, r, lanes))
      return error;
    registers_[op.getResult(0)] = std::move(r);
  }
  return llvm::Error::success();
}

llvm::Error AlgebraLanes::evaluate(llvm::ArrayRef<Lanes> arguments,
                                   llvm::ArrayRef<Lanes> results,
                                   int64_t lanes) const {
  mlir::Block &block = region_.front();
  for (auto [argument, lane] : llvm::zip(block.getArguments(), arguments)) {
    Register &r = registers_[argument];
    r.type = elementTypeOf(argument);
    auto bytes = static_cast<size_t>(lanes * r.type.storageBytes());
    r.raw.resize(bytes);
    std::memcpy(r.raw.data(), lane.values, bytes);
    toValues(r, lanes);
    r.elements.clear();
    if (!r.hasElements())
      continue;
    int64_t width = program::shadowTypeOf(r.type)->storageBytes(),
            parts = partsOf(r.type);
    for (int64_t i = 0; i < lanes; ++i) {
      uint64_t number;
      std::memcpy(&number,
                  static_cast<const std::byte *>(lane.shadows) + i * width, 8);
      for (int64_t p = 0; p < parts; ++p)
        r.elements.push_back(arena_[number + p]);
    }
  }
  if (llvm::Error error = runBlock(block, lanes, 0))
    return error;
  mlir::Operation *end = block.getTerminator();
  for (auto [value, lane] : llvm::zip(end->getOperands(), results)) {
    auto found = registers_.find(value);
    if (found == registers_.end())
      return makeError(ErrorCode::Unsupported, "its body reads from outside");
    const Register &r = found->second;
    std::memcpy(lane.values, r.raw.data(),
                static_cast<size_t>(lanes * r.type.storageBytes()));
    if (!r.hasElements() || !lane.shadows)
      continue;
    int64_t width = program::shadowTypeOf(r.type)->storageBytes();
    auto parts = static_cast<uint64_t>(partsOf(r.type));
    for (int64_t i = 0; i < lanes; ++i) {
      uint64_t number = arena_.size();
      for (uint64_t p = 0; p < parts; ++p)
        arena_.push_back(r.elements[static_cast<size_t>(i) * parts + p]);
      std::memcpy(static_cast<std::byte *>(lane.shadows) + i * width, &number,
                  8);
    }
  }
  return llvm::Error::success();
}

/// A tensor in the shadow's type whose elements hold numbers.
static llvm::Expected<Tensor> numberTensor(const Value &value, uint64_t base,
                                           program::RunContext &run) {
  ElementType wide = *program::shadowTypeOf(value.tensor().elementType());
  llvm::Expected<Tensor> tensor =
      Tensor::allocate({wide, value.tensor().type().shape}, run.budget);
  if (!tensor)
    return tensor;
  auto parts = static_cast<uint64_t>(partsOf(value.tensor().elementType()));
  std::byte *out = tensor->mutableBytes();
  std::memset(out, 0, static_cast<size_t>(tensor->denseBytes()));
  for (int64_t i = 0; i < tensor->size(); ++i) {
    uint64_t number = base + static_cast<uint64_t>(i) * parts;
    std::memcpy(out + i * wide.storageBytes(), &number, 8);
  }
  return tensor;
}

/// The operands of a step, whose shadows are the numbers of their elements;
/// appends the elements to the arena.
llvm::Error AlgebraShadow::numberOperands(Values operands,
                                          std::vector<Element> &arena,
                                          program::StepContext &context) {
  for (Value &operand : operands) {
    if (hasElements(operand)) {
      llvm::Expected<std::vector<Element>> elements = elementsOf(operand);
      if (!elements)
        return elements.takeError();
      llvm::Expected<Tensor> numbers =
          numberTensor(operand, arena.size(), run_);
      if (!numbers)
        return numbers.takeError();
      arena.insert(arena.end(), elements->begin(), elements->end());
      operand.setShadow(std::move(*numbers));
    }
    context.operands.push_back(&operand);
    context.dying.push_back(false);
  }
  return llvm::Error::success();
}

/// Results for a step to write, with shadows for the numbers of elements.
static llvm::Expected<std::vector<Value>>
allocateResults(llvm::ArrayRef<Value> results, program::RunContext &run,
                program::StepContext &context) {
  std::vector<Value> made;
  for (const Value &result : results) {
    llvm::Expected<Tensor> out =
        Tensor::allocate(result.tensor().type(), run.budget);
    if (!out)
      return out.takeError();
    made.push_back(Value(std::move(*out)));
    context.shadows.emplace_back();
    if (!hasElements(result))
      continue;
    llvm::Expected<Tensor> numbers = numberTensor(result, 0, run);
    if (!numbers)
      return numbers.takeError();
    context.shadows.back() = std::move(*numbers);
  }
  return made;
}

/// Runs a step whose regions are evaluated on lanes.
static llvm::Error
runOnLanes(const program::Step &step, program::StepContext &context,
           llvm::MutableArrayRef<program::RegionEvaluator> regions) {
  if (!step.isRegionStep())
    return step.run(context);
  program::RegionTask task = step.start(context, regions);
  task.resume();
  if (!task.done())
    return makeError(ErrorCode::Unsupported, "it waits for its body");
  return task.takeOutcome();
}

/// The elements of the arena whose numbers a shadow holds. `parts`: numbers in
/// an element.
static std::vector<Element> elementsAt(const Tensor &numbers, int64_t parts,
                                       llvm::ArrayRef<Element> arena) {
  int64_t width = numbers.elementType().storageBytes();
  std::vector<Element> out;
  for (int64_t i = 0; i < numbers.size(); ++i) {
    uint64_t number;
    std::memcpy(&number, numbers.bytes() + i * width, 8);
    for (int64_t p = 0; p < parts; ++p)
      out.push_back(arena[number + p]);
  }
  return out;
}

llvm::Error AlgebraShadow::region(mlir::Operation *op, Values operands,
                                  Values results) {
  const program::Step *step = stepFor(op, operands, results, false);
  if (!step)
    return makeError(ErrorCode::Unsupported, "no step for it");
  if (!step->jointShadow())
    return makeError(ErrorCode::Unsupported, "a step without lanes");
  std::vector<Element> arena;
  program::StepContext context(run_, op);
  if (llvm::Error error = numberOperands(operands, arena, context))
    return error;
  context.joint = true;
  llvm::Expected<std::vector<Value>> made =
      allocateResults(results, run_, context);
  if (!made)
    return made.takeError();
  context.results = *made;
  std::vector<std::unique_ptr<AlgebraLanes>> lanes;
  std::vector<program::RegionEvaluator> regions;
  for (mlir::Region &body : op->getRegions()) {
    lanes.push_back(std::make_unique<AlgebraLanes>(algebra_, body, arena));
    regions.emplace_back().function = lanes.back().get();
  }
  if (llvm::Error error = runOnLanes(*step, context, regions))
    return error;
  for (auto [result, numbers] : llvm::zip(results, context.shadows)) {
    if (!hasElements(result))
      continue;
    int64_t parts = partsOf(result.tensor().elementType());
    if (llvm::Error error = set(result, elementsAt(numbers, parts, arena)))
      return error;
  }
  return llvm::Error::success();
}
