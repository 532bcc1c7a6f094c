// Members of a chain become instructions in their order; what they read from
// outside becomes loads, each once; values that others read become results.
#include "assay/engine/native/FusionProgram.h"

#include "assay/dialect/AskedAccuracy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/VectorMath.h"
#include "assay/reference/LaneProgram.h"

#include <cstring>

namespace assay::engine {

using numerics::ElementType;
using program::SlotId;
using program::StepNode;

namespace {
class Translator {
public:
  Translator(const ChainFinder &steps, const Chain &chain);
  std::optional<ChainProgram> translate();

private:
  bool translate(size_t index, bool perRow);
  std::optional<int> inputOf(const StepNode &node, unsigned operand,
                             bool perRow);
  VectorLoop powerLoopOf(const StepNode &node) const;
  bool setReduction(const StepNode &node, ElementType element,
                    FusedProgram::Code &code);
  size_t operandIndex(SlotId slot);
  int newValue(ElementType element, bool perRow) {
    out_.program.values.push_back({element, perRow});
    return static_cast<int>(out_.program.values.size()) - 1;
  }
  int load(const View &view, ElementType element, bool perRow, bool scalar);
  int expanded(int row);
  size_t rowRankOf(llvm::ArrayRef<int64_t> shape) const;

  struct Known {
    SlotId base;
    Shape strides;
    int64_t offset;
    bool perRow, scalar;
    int value;
  };
  const ChainFinder &steps_;
  const Chain &chain_;
  ChainProgram out_;
  llvm::DenseMap<SlotId, int> made_; ///< the value of each member's result
  std::vector<Known> loads_;
  std::map<int, int> expanded_;
};
} // namespace

//===--- Values ----------------------------------------------------------===//

/// Elements of a row: the dimensions after the chain's rows; without rows,
/// those after the leading ones along which an operand repeats; else 1.
static int64_t lengthOf(const ChainFinder &steps, const Chain &chain) {
  constexpr int64_t kMostLength = 8192;
  llvm::ArrayRef<int64_t> shape = chain.shape;
  if (chain.rowRank)
    return elementsOf(shape.drop_front(*chain.rowRank));
  for (auto [index, perRow] : chain.members) {
    const StepNode &node = steps.step(index);
    for (unsigned o = 0; o < node.operands.size(); ++o) {
      if (!steps.isView(node.operands[o]))
        continue;
      Shape strides =
          steps.readOf(chain, /*perRow=*/false, node, o).view.strides;
      if (strides.size() != shape.size())
        continue;
      size_t rank = 0;
      while (rank < strides.size() && strides[rank] == 0)
        ++rank;
      if (rank == 0 || rank == strides.size())
        continue;
      if (int64_t length = elementsOf(shape.drop_front(rank));
          length <= kMostLength)
        return length;
    }
  }
  return 1;
}

Translator::Translator(const ChainFinder &steps, const Chain &chain)
    : steps_(steps), chain_(chain) {
  out_.program.length = lengthOf(steps, chain);
  out_.program.rows = elementsOf(chain.shape) / out_.program.length;
}

size_t Translator::operandIndex(SlotId slot) {
  auto *found = llvm::find(out_.operands, slot);
  auto index = static_cast<size_t>(found - out_.operands.begin());
  if (found == out_.operands.end())
    out_.operands.push_back(slot);
  return index;
}

size_t Translator::rowRankOf(llvm::ArrayRef<int64_t> shape) const {
  int64_t inner = 1;
  size_t rank = shape.size();
  while (rank > 0 && inner < out_.program.length)
    inner *= shape[--rank];
  return rank;
}

int Translator::load(const View &view, ElementType element, bool perRow,
                     bool scalar) {
  for (const Known &known : loads_)
    if (known.base == view.base && known.offset == view.offset &&
        known.strides == view.strides && known.perRow == perRow &&
        known.scalar == scalar)
      return known.value;
  int value = newValue(element, perRow);
  Shape level = chain_.levelShape(perRow);
  Shape strides = scalar ? Shape(level.size(), 0) : view.strides;
  // Whether all rows read the same elements: the strides of the dimensions that
  // count rows are 0.
  size_t rowRank = perRow || out_.program.length == 1 ? level.size()
                                                      : rowRankOf(level);
  bool fixed = true;
  for (size_t d = 0; d < rowRank; ++d)
    fixed &= strides[d] == 0;
  auto row = llvm::ArrayRef(level).drop_front(rowRank);
  bool rowInPlace = fixed && StridedReader(row, llvm::ArrayRef(strides).drop_front(rowRank), 0, 1)
                                 .isContiguous();
  out_.program.loads.push_back(
      {value, operandIndex(view.base),
       StridedReader(level, strides, view.offset, element.storageBytes()),
       fixed,
       llvm::all_of(strides, [](int64_t stride) { return stride == 0; }),
       rowInPlace});
  loads_.push_back(
      {view.base, view.strides, view.offset, perRow, scalar, value});
  return value;
}

int Translator::expanded(int row) {
  auto [it, isNew] = expanded_.try_emplace(row, 0);
  if (isNew) {
    it->second = newValue(out_.program.values[row].element, false);
    out_.program.code.push_back({FusedProgram::Kind::Expand,
                                 it->second,
                                 {row},
                                 std::nullopt,
                                 nullptr,
                                 std::nullopt,
                                 0,
                                 std::nullopt});
  }
  return it->second;
}

//===--- Instructions ----------------------------------------------------===//

/// The value of a member's operand: made by another member, or loaded. nullopt
/// where it reads a member's result in another order.
std::optional<int> Translator::inputOf(const StepNode &node, unsigned operand,
                                       bool perRow) {
  auto type = knownTypeOf(node.op->getOperand(operand));
  ChainRead read = steps_.readOf(chain_, perRow, node, operand);
  auto known = made_.find(read.base);
  if (known == made_.end()) {
    bool scalar = elementsOf(type->shape) == 1 || steps_.isSplat(read.base);
    if (!scalar && read.kind == ChainRead::Kind::Unknown)
      return std::nullopt;
    return load(read.view, type->element, perRow, scalar);
  }
  bool isRow = out_.program.values[known->second].perRow;
  if (!read.isInOrder() || read.ofRows != isRow)
    return std::nullopt;
  return isRow && !perRow ? expanded(known->second) : known->second;
}

static FusedProgram::Kind reductionKind(mlir::Operation *single,
                                        ElementType element) {
  using Kind = FusedProgram::Kind;
  bool isF32 = element.isFloat() && element.bits == 32;
  llvm::StringRef name = single->getName().getStringRef();
  if (isF32 && name == "stablehlo.add")
    return Kind::Add;
  if (isF32 && name == "stablehlo.maximum")
    return Kind::Maximum;
  if (isF32 && name == "stablehlo.minimum")
    return Kind::Minimum;
  if (element.isBool() && name == "stablehlo.or")
    return Kind::Any;
  if (element.isBool() && name == "stablehlo.and")
    return Kind::All;
  return Kind::Fold;
}

/// False where the chain itself computes the fold's initial value.
bool Translator::setReduction(const StepNode &node, ElementType element,
                              FusedProgram::Code &code) {
  mlir::Operation *single =
      reference::singleBinaryOperation(node.op->getRegion(0));
  code.kind = reductionKind(single, element);
  code.fold = reference::Fold::make(single, element);
  View init = steps_.viewOfSlot(node.operands[1], {});
  if (made_.contains(init.base))
    return false;
  if (init.offset != 0)
    init = View::dense(node.operands[1], {});
  code.init = operandIndex(init.base);
  return true;
}

static void setFunction(mlir::Operation *op, FusedProgram::Code &code) {
  code.function = elementwiseFunctionOf(op);
  ElementType f32 = ElementType::floating(numerics::FloatFormat::F32);
  if (code.function->arity() == 1 && code.function->operandType(0) == f32 &&
      code.function->resultType() == f32) {
    VectorFunction vector = vectorFunctionOf(op->getName().getStringRef());
    if (allowsUlps(op, vector.ulps))
      code.loop = vector.loop;
  }
  code.op = elementOpOf(op, code.loop != nullptr);
}

/// The loop for a power of f32 with one constant exponent: products, without a
/// logarithm.
VectorLoop Translator::powerLoopOf(const StepNode &node) const {
  ElementType f32 = ElementType::floating(numerics::FloatFormat::F32);
  if (node.name != "stablehlo.power" ||
      knownTypeOf(node.op->getOperand(1))->element != f32)
    return nullptr;
  const tensor::Tensor *exponent =
      steps_.splatOf(steps_.viewOfSlot(node.operands[1], {}).base);
  if (!exponent)
    return nullptr;
  float value;
  std::memcpy(&value, exponent->bytes(), sizeof value);
  VectorFunction power = vectorPowerOf(value);
  return allowsUlps(node.op, power.ulps) ? power.loop : nullptr;
}

bool Translator::translate(size_t index, bool perRow) {
  const StepNode &node = steps_.step(index);
  bool reduction = steps_.isReduction(index);
  auto result = knownTypeOf(node.op->getResult(0));
  FusedProgram::Code code{FusedProgram::Kind::Compute,
                          0,
                          {},
                          std::nullopt,
                          nullptr,
                          std::nullopt,
                          0,
                          std::nullopt};
  VectorLoop power = reduction ? nullptr : powerLoopOf(node);
  for (size_t o = 0; o < (reduction || power ? 1 : node.operands.size()); ++o) {
    std::optional<int> input =
        inputOf(node, static_cast<unsigned>(o), !reduction && perRow);
    if (!input)
      return false;
    code.inputs.push_back(*input);
  }
  if (power) {
    code.loop = power;
    code.op = power == vectorPowerOf(2).loop ? ElementOp::Square : ElementOp::Cube;
  } else if (!reduction)
    setFunction(node.op, code);
  else if (!setReduction(node, result->element, code))
    return false;
  code.value = newValue(result->element, perRow);
  made_[node.results[0]] = code.value;
  out_.program.code.push_back(std::move(code));
  return true;
}

std::optional<ChainProgram> Translator::translate() {
  for (auto [index, perRow] : chain_.members)
    if (!translate(index, perRow))
      return std::nullopt;
  for (auto [index, perRow] : chain_.members) {
    const StepNode &node = steps_.step(index);
    SlotId slot = node.results[0];
    if (!steps_.isReadOutside(chain_, slot))
      continue;
    out_.results.push_back(slot);
    out_.resultTypes.push_back(*knownTypeOf(node.op->getResult(0)));
    out_.program.outputs.push_back(made_[slot]);
  }
  return out_.results.empty() ? std::nullopt : std::optional(std::move(out_));
}

std::optional<ChainProgram> programOf(const ChainFinder &steps,
                                      const Chain &chain) {
  return Translator(steps, chain).translate();
}

} // namespace assay::engine
