// Members of a chain become instructions in their order; what they read from
// outside becomes loads, each once; values that others read become results.
// The chain is found in a program, where a trial says whether it can be a loop, and again in the
// group that it became.
#include "assay/engine/native/FusionProgram.h"

#include "assay/dialect/AskedAccuracy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/VectorMath.h"
#include "assay/reference/LaneProgram.h"

namespace assay::engine {

using numerics::ElementType;
using mlir::Operation;
using mlir::Value;

namespace {
/// A program, and the values that are its operands.
struct ChainProgram {
  FusedProgram program;
  llvm::SmallVector<Value, 8> operands;
};

class Translator {
public:
  Translator(const ChainFinder &ops, const Chain &chain,
             mlir::ValueRange operands);
  std::optional<ChainProgram> translate(mlir::ValueRange results);

private:
  bool translate(size_t index, bool perRow);
  std::optional<int> inputOf(Operation *op, unsigned operand, bool perRow);
  VectorLoop powerLoopOf(Operation *op) const;
  bool setReduction(Operation *op, ElementType element,
                    FusedProgram::Code &code);
  size_t operandIndex(Value value);
  int newValue(ElementType element, bool perRow) {
    out_.program.values.push_back({element, perRow});
    return static_cast<int>(out_.program.values.size()) - 1;
  }
  int load(const View &view, ElementType element, bool perRow, bool scalar);
  int expanded(int row);
  size_t rowRankOf(llvm::ArrayRef<int64_t> shape) const;

  struct Known {
    Value base;
    Shape strides;
    int64_t offset;
    bool perRow, scalar;
    int value;
  };
  const ChainFinder &ops_;
  const Chain &chain_;
  ChainProgram out_;
  llvm::DenseMap<Value, int> made_; ///< the value of each member's result
  std::vector<Known> loads_;
  std::map<int, int> expanded_;
};
} // namespace

//===--- Values ----------------------------------------------------------===//

/// Elements of a row: the dimensions after the chain's rows; without rows,
/// those after the leading ones along which an operand repeats; else 1.
static int64_t lengthOf(const ChainFinder &ops, const Chain &chain) {
  constexpr int64_t kMostLength = 8192;
  llvm::ArrayRef<int64_t> shape = chain.shape;
  if (chain.rowRank)
    return elementsOf(shape.drop_front(*chain.rowRank));
  for (auto [index, perRow] : chain.members) {
    Operation *op = ops.op(index);
    for (unsigned o = 0; o < op->getNumOperands(); ++o) {
      if (!ops.isView(op->getOperand(o)))
        continue;
      Shape strides = ops.readOf(chain, /*perRow=*/false, op, o).view.strides;
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

Translator::Translator(const ChainFinder &ops, const Chain &chain,
                       mlir::ValueRange operands)
    : ops_(ops), chain_(chain) {
  out_.operands.append(operands.begin(), operands.end());
  out_.program.length = lengthOf(ops, chain);
  out_.program.rows = elementsOf(chain.shape) / out_.program.length;
}

size_t Translator::operandIndex(Value value) {
  auto *found = llvm::find(out_.operands, value);
  auto index = static_cast<size_t>(found - out_.operands.begin());
  if (found == out_.operands.end())
    out_.operands.push_back(value);
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
    out_.program.code.push_back({FusedProgram::Kind::Expand, it->second, {row}});
  }
  return it->second;
}

//===--- Instructions ----------------------------------------------------===//

/// The value of a member's operand: made by another member, or loaded. nullopt
/// where it reads a member's result in another order.
std::optional<int> Translator::inputOf(Operation *op, unsigned operand,
                                       bool perRow) {
  auto type = knownTypeOf(op->getOperand(operand));
  ChainRead read = ops_.readOf(chain_, perRow, op, operand);
  auto known = made_.find(read.base);
  if (known == made_.end()) {
    bool scalar = elementsOf(type->shape) == 1 || splatOf(read.base);
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

/// The value that a reduction begins with, through views of a first element.
static Value initOf(const ChainFinder &ops, Operation *reduce) {
  View init = ops.viewOfValue(reduce->getOperand(1));
  return init.offset == 0 ? init.base : reduce->getOperand(1);
}

/// False where the chain itself computes the fold's initial value.
bool Translator::setReduction(Operation *op, ElementType element,
                              FusedProgram::Code &code) {
  Operation *single = reference::singleBinaryOperation(op->getRegion(0));
  code.kind = reductionKind(single, element);
  code.fold = reference::Fold::make(single, element);
  Value init = initOf(ops_, op);
  if (made_.contains(init))
    return false;
  code.init = operandIndex(init);
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
VectorLoop Translator::powerLoopOf(Operation *op) const {
  ElementType f32 = ElementType::floating(numerics::FloatFormat::F32);
  if (!mlir::isa<stablehlo::PowerOp>(op) ||
      knownTypeOf(op->getOperand(1))->element != f32)
    return nullptr;
  mlir::DenseElementsAttr exponent =
      splatOf(ops_.viewOfValue(op->getOperand(1)).base);
  if (!exponent)
    return nullptr;
  VectorFunction power = vectorPowerOf(exponent.getSplatValue<float>());
  return allowsUlps(op, power.ulps) ? power.loop : nullptr;
}

bool Translator::translate(size_t index, bool perRow) {
  Operation *op = ops_.op(index);
  bool reduction = ops_.isReduction(index);
  auto result = knownTypeOf(op->getResult(0));
  FusedProgram::Code code;
  VectorLoop power = reduction ? nullptr : powerLoopOf(op);
  for (unsigned o = 0; o < (reduction || power ? 1 : op->getNumOperands());
       ++o) {
    std::optional<int> input = inputOf(op, o, !reduction && perRow);
    if (!input)
      return false;
    code.inputs.push_back(*input);
  }
  if (power) {
    code.loop = power;
    code.op = power == vectorPowerOf(2).loop ? ElementOp::Square : ElementOp::Cube;
  } else if (!reduction)
    setFunction(op, code);
  else if (!setReduction(op, result->element, code))
    return false;
  code.value = newValue(result->element, perRow);
  made_[op->getResult(0)] = code.value;
  out_.program.code.push_back(std::move(code));
  return true;
}

std::optional<ChainProgram> Translator::translate(mlir::ValueRange results) {
  for (auto [index, perRow] : chain_.members)
    if (!translate(index, perRow))
      return std::nullopt;
  for (Value result : results) {
    auto made = made_.find(result);
    if (made == made_.end())
      return std::nullopt;
    out_.program.outputs.push_back(made->second);
  }
  return std::move(out_);
}

//===--- Chains and groups -----------------------------------------------===//

/// The members' views, and what they read through them.
static void addReads(const ChainFinder &ops, const Chain &chain,
                     GroupParts &parts) {
  for (auto [index, perRow] : chain.members) {
    Operation *op = ops.op(index);
    parts.members.push_back(op);
    for (Value operand : op->getOperands()) {
      bool isInit = ops.isReduction(index) && operand == op->getOperand(1);
      parts.addViews(operand, isInit ? initOf(ops, op)
                                     : ops.viewOfValue(operand).base);
    }
  }
}

std::optional<GroupParts> groupOf(const ChainFinder &ops, const Chain &chain) {
  llvm::SmallVector<Value> results;
  for (auto [index, perRow] : chain.members)
    if (Value result = ops.op(index)->getResult(0);
        ops.isReadOutside(chain, result))
      results.push_back(result);
  auto program = Translator(ops, chain, {}).translate(results);
  if (!program || results.empty())
    return std::nullopt;
  GroupParts parts;
  parts.operands.assign(program->operands.begin(), program->operands.end());
  addReads(ops, chain, parts);
  return parts;
}

/// A group's operations as a chain: the last one says what the loop's elements
/// are, others have as many, or one for each row.
static Chain chainOf(const ChainFinder &ops) {
  Chain chain;
  chain.end = ops.size();
  while (chain.end > 0 && !ops.isMember(--chain.end))
    ;
  Operation *last = ops.op(chain.end);
  chain.shape = withoutOnes(
      knownTypeOf(ops.isReduction(chain.end) ? last->getOperand(0)
                                             : last->getResult(0))
          ->shape);
  for (size_t i = 0; i <= chain.end; ++i) {
    if (!ops.isMember(i))
      continue;
    int64_t elements = elementsOf(knownTypeOf(ops.op(i)->getResult(0))->shape);
    chain.members[i] = elements != elementsOf(chain.shape);
    if (chain.members[i])
      chain.rowRank = rankOf(chain.shape, elements);
  }
  return chain;
}

std::optional<FusedProgram> programOf(native::FusedOp group) {
  mlir::Block &body = group.getBody().front();
  ChainFinder ops(body);
  auto made = Translator(ops, chainOf(ops), body.getArguments())
                  .translate(body.getTerminator()->getOperands());
  return made ? std::optional(std::move(made->program)) : std::nullopt;
}

} // namespace assay::engine
