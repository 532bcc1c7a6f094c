// Which operations share a fused loop. The steps are visited from the last to
// the first; each that could be the end of a chain becomes one, and takes in
// the producers of what it reads as long as
//   - they range over the same elements (dimensions of size 1 do not count), or
//     are one value per row of them: a reduction of the trailing dimensions, or
//     what is computed from it and broadcast back;
//   - everyone else who reads them comes after the end of the chain, so that
//     the order of steps stays possible.
// Broadcasts, slices, transposes and reshapes on the way are read through
// strides. Values that others read become results of the fused step.
#include "assay/engine/native/FusionPass.h"

#include "assay/dialect/AskedAccuracy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/Fused.h"
#include "assay/engine/native/Steps.h"
#include "assay/engine/native/VectorMath.h"
#include "assay/program/Types.h"
#include "assay/reference/LaneProgram.h"

#include <map>

namespace assay::engine {

using numerics::ElementType;
using program::BlockPlan;
using program::FunctionPlan;
using program::SlotId;
using program::StepNode;
using program::TensorType;

static std::optional<TensorType> knownTypeOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  auto known = program::tensorTypeOf(type);
  if (known)
    return *known;
  llvm::consumeError(known.takeError());
  return std::nullopt;
}

static Shape withoutOnes(llvm::ArrayRef<int64_t> shape) {
  Shape result;
  llvm::copy_if(shape, std::back_inserter(result),
                [](int64_t size) { return size != 1; });
  return result;
}

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

llvm::DenseMap<SlotId, View>
viewsOf(const BlockPlan &block,
        const std::function<bool(mlir::Operation *)> &wanted) {
  llvm::DenseMap<SlotId, View> views;
  for (const StepNode &node : block.steps) {
    if (node.control != StepNode::Control::Data || node.operands.size() != 1 ||
        node.results.size() != 1 || node.op->getNumOperands() != 1 ||
        (wanted && wanted(node.op)))
      continue;
    auto from = knownTypeOf(node.op->getOperand(0)),
         to = knownTypeOf(node.op->getResult(0));
    if (!from || !to || !(from->element == to->element))
      continue;
    auto known = views.find(node.operands[0]);
    View operand = known != views.end()
                       ? known->second
                       : View::dense(node.operands[0], from->shape);
    if (std::optional<View> view = viewOf(node.op, operand, to->shape))
      views[node.results[0]] = *view;
  }
  return views;
}

namespace {
enum class Role : uint8_t { None, Elementwise, Reduction };

/// How a member reads one operand.
struct Read {
  enum class Kind : uint8_t { Direct, PerRow, Load } kind = Kind::Load;
  SlotId base = 0;
  View view;
};

struct Chain {
  size_t end = 0;
  Shape shape;                    ///< of the loop, without ones
  std::optional<size_t> rowRank;  ///< dimensions that count rows
  std::map<size_t, bool> members; ///< step -> one value per row
  llvm::ArrayRef<int64_t> rowShape() const {
    return llvm::ArrayRef<int64_t>(shape).take_front(*rowRank);
  }
};

class Translator;

class Fuser {
public:
  Fuser(const FunctionPlan &function, BlockPlan &block,
        const std::function<bool(mlir::Operation *)> &wanted,
        std::shared_ptr<kernels::Jit> jit)
      : function_(function), block_(block), wanted_(wanted),
        jit_(std::move(jit)),
        uses_(function, block), views_(viewsOf(block, wanted)),
        chainEnd_(block.steps.size(), kNone) {
    for (const StepNode &node : block.steps)
      roles_.push_back(roleOf(node));
  }
  void run();

private:
  Role roleOf(const StepNode &node) const;
  std::optional<Chain> startAt(size_t end) const;
  void grow(Chain &chain) const;
  bool admit(Chain &chain, size_t candidate, llvm::ArrayRef<Read> reads) const;
  bool isRead(SlotId slot, llvm::function_ref<bool(size_t)> passes,
              llvm::function_ref<bool(size_t)> matters) const;
  bool isReadLater(const Chain &chain, SlotId slot) const;
  bool isReadOutside(const Chain &chain, SlotId slot) const;
  Read readOf(const Chain &chain, bool perRow, SlotId operand) const;
  bool worthwhile(const Chain &chain) const;
  bool build(const Chain &chain);
  bool translate(const Chain &chain, size_t index, bool perRow,
                 Translator &t) const;
  std::optional<int> inputOf(const Chain &chain, bool level,
                             const StepNode &node, unsigned operand,
                             Translator &t) const;
  bool setReduction(const StepNode &node, ElementType element,
                    FusedProgram::Code &code, Translator &t) const;
  bool replace(const Chain &chain, Translator &t);
  View viewOfSlot(SlotId slot, llvm::ArrayRef<int64_t> shape) const;
  bool isSplat(SlotId slot) const;

  const FunctionPlan &function_;
  BlockPlan &block_;
  const std::function<bool(mlir::Operation *)> &wanted_;
  std::shared_ptr<kernels::Jit> jit_;
  BlockUses uses_;
  llvm::DenseMap<SlotId, View> views_;
  static constexpr size_t kNone = ~size_t{0};
  std::vector<size_t> chainEnd_; ///< of steps that are in a chain already
  std::vector<Role> roles_;
};
} // namespace

static std::optional<reference::ElementwiseFunction>
functionOf(mlir::Operation *op) {
  llvm::SmallVector<ElementType, 3> types;
  for (mlir::Value operand : op->getOperands()) {
    auto type = knownTypeOf(operand);
    if (!type)
      return std::nullopt;
    types.push_back(type->element);
  }
  auto result = knownTypeOf(op->getResult(0));
  if (!result)
    return std::nullopt;
  auto function =
      reference::ElementwiseFunction::make(op, types, result->element);
  if (function)
    return *function;
  llvm::consumeError(function.takeError());
  return std::nullopt;
}

Role Fuser::roleOf(const StepNode &node) const {
  if (node.control != StepNode::Control::Data || node.results.size() != 1 ||
      !node.op || node.op->getNumResults() != 1 || !node.step ||
      node.operands.size() != node.op->getNumOperands() ||
      (wanted_ && wanted_(node.op)))
    return Role::None;
  auto result = knownTypeOf(node.op->getResult(0));
  if (!result || llvm::is_contained(result->shape, 0))
    return Role::None;
  if (reference::ElementwiseFunction::knows(node.op)) {
    if (node.name.starts_with("chlo.broadcast_") || node.operands.empty() ||
        node.operands.size() > 3)
      return Role::None;
    // A scalar predicate or bound is read as a broadcast one.
    for (mlir::Value operand : node.op->getOperands()) {
      auto type = knownTypeOf(operand);
      if (!type || (type->shape != result->shape && product(type->shape) != 1))
        return Role::None;
    }
    return functionOf(node.op) ? Role::Elementwise : Role::None;
  }
  if (!mlir::isa<stablehlo::ReduceOp>(node.op) || node.operands.size() != 2)
    return Role::None;
  auto operand = knownTypeOf(node.op->getOperand(0)),
       init = knownTypeOf(node.op->getOperand(1));
  if (!operand || !init || llvm::is_contained(operand->shape, 0) ||
      !(operand->element == result->element) ||
      !(init->element == result->element))
    return Role::None;
  // The reduced dimensions come last, ones aside.
  reference::Ints dims = reference::intsOf(node.op, "dimensions");
  bool reduced = false;
  for (size_t d = 0; d < operand->shape.size(); ++d) {
    if (operand->shape[d] == 1)
      continue;
    bool here = llvm::is_contained(dims, static_cast<int64_t>(d));
    if (reduced && !here)
      return Role::None;
    reduced |= here;
  }
  // Rows beyond the caches, and single ones, gain nothing here.
  int64_t rows = product(result->shape), all = product(operand->shape);
  constexpr int64_t kMostLength = 1 << 17, kMostAlone = 1 << 14;
  if (all / rows > (rows == 1 ? kMostAlone : kMostLength))
    return Role::None;
  mlir::Operation *single =
      reference::singleBinaryOperation(node.op->getRegion(0));
  return reduced && single && reference::Fold::make(single, result->element)
             ? Role::Reduction
             : Role::None;
}

View Fuser::viewOfSlot(SlotId slot, llvm::ArrayRef<int64_t> shape) const {
  auto known = views_.find(slot);
  return known != views_.end() ? known->second : View::dense(slot, shape);
}

/// A constant whose elements are all one: it is read as a scalar.
bool Fuser::isSplat(SlotId slot) const {
  auto made = uses_.producer.find(slot);
  if (made == uses_.producer.end())
    return false;
  const StepNode &node = block_.steps[made->second];
  return node.control == StepNode::Control::Constant &&
         node.constant.isTensor() && node.constant.tensor().isSplat();
}

/// The operand of a member that ranges over the loop (or its rows).
Read Fuser::readOf(const Chain &chain, bool perRow, SlotId operand) const {
  Read read;
  auto known = views_.find(operand);
  Shape level = perRow ? Shape(chain.rowShape()) : chain.shape;
  if (known == views_.end()) {
    read.kind = Read::Kind::Direct;
    read.base = operand;
    read.view = View::dense(operand, level);
    return read;
  }
  const View &view = known->second;
  read.base = view.base;
  read.view = view;
  Shape shape, strides;
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1) {
      shape.push_back(view.shape[d]);
      strides.push_back(view.strides[d]);
    }
  if (shape != level)
    return read; // a scalar: repeated
  read.view.shape = shape;
  read.view.strides = strides;
  Shape dense = tensor::rowMajorStrides(shape);
  if (view.offset != 0)
    return read;
  if (strides == dense) {
    read.kind = Read::Kind::Direct;
    return read;
  }
  if (perRow)
    return read;
  // One value per row, repeated along it.
  size_t rank = shape.size();
  while (rank > 0 && strides[rank - 1] == 0)
    --rank;
  // (All rows in one, because nothing moves at all, only where a reduction says
  // so: it could not be shared out.)
  if (rank == shape.size() || (chain.rowRank && *chain.rowRank != rank) ||
      (rank == 0 && !chain.rowRank))
    return read;
  Shape rows(shape.begin(), shape.begin() + static_cast<int64_t>(rank));
  if (llvm::ArrayRef<int64_t>(strides).take_front(rank) ==
      llvm::ArrayRef<int64_t>(tensor::rowMajorStrides(rows)))
    read.kind = Read::Kind::PerRow;
  return read;
}

/// Someone for whom `matters` reads the slot, perhaps through views; whom
/// `passes` names does not count. Positions are those of the block's steps.
bool Fuser::isRead(SlotId slot, llvm::function_ref<bool(size_t)> passes,
                   llvm::function_ref<bool(size_t)> matters) const {
  llvm::SmallVector<SlotId, 4> work{slot};
  while (!work.empty()) {
    auto readers = uses_.readers.find(work.pop_back_val());
    if (readers == uses_.readers.end())
      continue;
    for (size_t reader : readers->second) {
      if (passes(reader))
        continue;
      if (matters(reader))
        return true;
      const StepNode &node = block_.steps[reader];
      if (node.results.size() != 1 || !views_.contains(node.results[0]))
        return true;
      work.push_back(node.results[0]);
    }
  }
  return false;
}

/// Everyone outside the chain who reads the slot comes after the chain's end.
bool Fuser::isReadLater(const Chain &chain, SlotId slot) const {
  return !isRead(
      slot,
      [&](size_t reader) {
        return reader > chain.end || chain.members.count(reader) ||
               chainEnd_[reader] != kNone; // those end behind this one
      },
      [](size_t) { return false; });
}

/// Someone outside the chain reads the slot.
bool Fuser::isReadOutside(const Chain &chain, SlotId slot) const {
  return isRead(
      slot, [&](size_t reader) { return chain.members.count(reader) != 0; },
      [&](size_t reader) {
        return reader == block_.steps.size() || chainEnd_[reader] != kNone;
      });
}

std::optional<Chain> Fuser::startAt(size_t end) const {
  const StepNode &node = block_.steps[end];
  Role role = chainEnd_[end] == kNone ? roles_[end] : Role::None;
  if (role == Role::None)
    return std::nullopt;
  Chain chain;
  chain.end = end;
  Shape result = withoutOnes(knownTypeOf(node.op->getResult(0))->shape);
  if (role == Role::Reduction) {
    chain.shape = withoutOnes(knownTypeOf(node.op->getOperand(0))->shape);
    chain.rowRank = result.size();
    chain.members[end] = true;
  } else {
    chain.shape = result;
    chain.members[end] = false;
  }
  if (product(chain.shape) < 2)
    return std::nullopt;
  grow(chain);
  return chain;
}

/// Takes a producer in, if its role and shape allow.
bool Fuser::admit(Chain &chain, size_t candidate,
                  llvm::ArrayRef<Read> reads) const {
  const StepNode &node = block_.steps[candidate];
  Role role = chainEnd_[candidate] == kNone ? roles_[candidate] : Role::None;
  if (role == Role::None || !isReadLater(chain, node.results[0]))
    return false;
  Shape shape = withoutOnes(knownTypeOf(node.op->getResult(0))->shape);
  bool perRow = llvm::any_of(
      reads, [](const Read &read) { return read.kind == Read::Kind::PerRow; });
  std::optional<size_t> rowRank = chain.rowRank;
  if (shape == chain.shape)
    perRow = false;
  else if (rowRank &&
           Shape(llvm::ArrayRef<int64_t>(chain.shape).take_front(*rowRank)) ==
               shape)
    perRow = true;
  else if (perRow && !rowRank && shape.size() < chain.shape.size() &&
           Shape(
               llvm::ArrayRef<int64_t>(chain.shape).take_front(shape.size())) ==
               shape)
    rowRank = shape.size();
  else
    return false;
  if (role == Role::Reduction) {
    if (!perRow ||
        withoutOnes(knownTypeOf(node.op->getOperand(0))->shape) != chain.shape)
      return false;
  }
  chain.rowRank = rowRank;
  chain.members[candidate] = perRow;
  return true;
}

void Fuser::grow(Chain &chain) const {
  constexpr size_t kMostMembers = 96;
  bool changed = true;
  while (changed && chain.members.size() < kMostMembers) {
    changed = false;
    std::map<size_t, llvm::SmallVector<Read, 2>, std::greater<>> candidates;
    for (auto [index, perRow] : chain.members) {
      const StepNode &node = block_.steps[index];
      bool reduction = roles_[index] == Role::Reduction;
      for (size_t o = 0; o < (reduction ? 1 : node.operands.size()); ++o) {
        auto type = knownTypeOf(node.op->getOperand(static_cast<unsigned>(o)));
        if (product(type->shape) == 1)
          continue;
        Read read = readOf(chain, reduction ? false : perRow, node.operands[o]);
        auto made = uses_.producer.find(read.base);
        if (read.kind != Read::Kind::Load && made != uses_.producer.end() &&
            made->second < chain.end && !chain.members.count(made->second))
          candidates[made->second].push_back(read);
      }
    }
    // The latest first: its own readers are in already.
    for (auto &[candidate, reads] : candidates)
      if (admit(chain, candidate, reads)) {
        changed = true;
        break;
      }
  }
}

bool Fuser::worthwhile(const Chain &chain) const {
  if (chain.members.size() > 1)
    return true;
  const StepNode &node = block_.steps[chain.end];
  if (roles_[chain.end] == Role::Reduction)
    return true;
  return llvm::any_of(node.operands,
                      [&](SlotId slot) { return views_.contains(slot); });
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

namespace {
/// Translates a chain into a fused program.
class Translator {
public:
  Translator(const Chain &chain, int64_t rows, int64_t length) : chain_(chain) {
    program.rows = rows;
    program.length = length;
  }
  FusedProgram program;
  llvm::SmallVector<SlotId, 8> operands;
  llvm::DenseMap<SlotId, int> made; ///< the value of each member's result

  size_t operandIndex(SlotId slot) {
    auto *found = llvm::find(operands, slot);
    if (found == operands.end())
      operands.push_back(slot);
    return static_cast<size_t>(llvm::find(operands, slot) - operands.begin());
  }
  int newValue(ElementType element, bool perRow) {
    program.values.push_back({element, perRow});
    return static_cast<int>(program.values.size()) - 1;
  }
  int load(const View &view, ElementType element, bool perRow, bool scalar) {
    for (const Known &known : loads_)
      if (known.base == view.base && known.offset == view.offset &&
          known.strides == view.strides && known.perRow == perRow &&
          known.scalar == scalar)
        return known.value;
    int value = newValue(element, perRow);
    Shape level = perRow ? Shape(chain_.rowShape()) : chain_.shape;
    Shape strides = scalar ? Shape(level.size(), 0) : view.strides;
    // The same for every row: nothing moves along the dimensions that count
    // rows.
    size_t rowRank =
        perRow || program.length == 1 ? level.size() : rowRankOf(level);
    bool fixed = true;
    for (size_t d = 0; d < rowRank; ++d)
      fixed &= strides[d] == 0;
    program.loads.push_back(
        {value, operandIndex(view.base),
         StridedReader(level, strides, view.offset, element.storageBytes()),
         fixed,
         llvm::all_of(strides, [](int64_t stride) { return stride == 0; })});
    loads_.push_back(
        {view.base, view.strides, view.offset, perRow, scalar, value});
    return value;
  }
  int expanded(int row) {
    auto [it, isNew] = expanded_.try_emplace(row, 0);
    if (isNew) {
      it->second = newValue(program.values[row].element, false);
      program.code.push_back({FusedProgram::Kind::Expand,
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

private:
  size_t rowRankOf(llvm::ArrayRef<int64_t> shape) const {
    int64_t inner = 1;
    size_t rank = shape.size();
    while (rank > 0 && inner < program.length)
      inner *= shape[--rank];
    return rank;
  }
  struct Known {
    SlotId base;
    Shape strides;
    int64_t offset;
    bool perRow, scalar;
    int value;
  };
  const Chain &chain_;
  std::vector<Known> loads_;
  std::map<int, int> expanded_;
};
} // namespace

/// Elements of a row: the dimensions behind the chain's rows; without rows,
/// those along which an operand repeats; else 1, rows being elements.
static int64_t lengthOf(const Chain &chain, llvm::ArrayRef<View> loads) {
  constexpr int64_t kMostLength = 8192;
  if (chain.rowRank)
    return product(
        llvm::ArrayRef<int64_t>(chain.shape).drop_front(*chain.rowRank));
  for (const View &view : loads) {
    if (view.strides.size() != chain.shape.size())
      continue;
    size_t rank = 0;
    while (rank < view.strides.size() && view.strides[rank] == 0)
      ++rank;
    if (rank == 0 || rank == view.strides.size())
      continue;
    int64_t length =
        product(llvm::ArrayRef<int64_t>(chain.shape).drop_front(rank));
    if (length <= kMostLength)
      return length;
  }
  return 1;
}

/// The value of a member's operand: made by another member, or loaded. Nothing
/// where a member is read otherwise than in order.
std::optional<int> Fuser::inputOf(const Chain &chain, bool level,
                                  const StepNode &node, unsigned operand,
                                  Translator &t) const {
  auto type = knownTypeOf(node.op->getOperand(operand));
  Read read = readOf(chain, level, node.operands[operand]);
  auto known = t.made.find(read.base);
  if (known == t.made.end())
    return t.load(read.view, type->element, level,
                  product(type->shape) == 1 || isSplat(read.base));
  if (read.kind == Read::Kind::Load)
    return std::nullopt;
  bool isRow = t.program.values[known->second].perRow;
  return isRow && !level ? t.expanded(known->second) : known->second;
}

/// False where the fold starts from a part of what the chain itself makes.
bool Fuser::setReduction(const StepNode &node, ElementType element,
                         FusedProgram::Code &code, Translator &t) const {
  mlir::Operation *single =
      reference::singleBinaryOperation(node.op->getRegion(0));
  code.kind = reductionKind(single, element);
  code.fold = reference::Fold::make(single, element);
  View init = viewOfSlot(node.operands[1], {});
  if (t.made.contains(init.base))
    return false;
  if (init.offset != 0)
    init = View::dense(node.operands[1], {});
  code.init = t.operandIndex(init.base);
  return true;
}

static void setFunction(mlir::Operation *op, FusedProgram::Code &code) {
  code.function = functionOf(op);
  ElementType f32 = ElementType::floating(numerics::FloatFormat::F32);
  if (code.function->arity() == 1 && code.function->operandType(0) == f32 &&
      code.function->resultType() == f32) {
    VectorFunction vector = vectorFunctionOf(op->getName().getStringRef());
    if (allowsUlps(op, vector.ulps))
      code.loop = vector.loop;
  }
  code.op = elementOpOf(op, code.loop != nullptr);
}

bool Fuser::translate(const Chain &chain, size_t index, bool perRow,
                      Translator &t) const {
  const StepNode &node = block_.steps[index];
  bool reduction = roles_[index] == Role::Reduction;
  auto result = knownTypeOf(node.op->getResult(0));
  FusedProgram::Code code{FusedProgram::Kind::Compute,
                          0,
                          {},
                          std::nullopt,
                          nullptr,
                          std::nullopt,
                          0,
                          std::nullopt};
  bool level = !reduction && perRow;
  for (size_t o = 0; o < (reduction ? 1 : node.operands.size()); ++o) {
    std::optional<int> input =
        inputOf(chain, level, node, static_cast<unsigned>(o), t);
    if (!input)
      return false;
    code.inputs.push_back(*input);
  }
  if (!reduction)
    setFunction(node.op, code);
  else if (!setReduction(node, result->element, code, t))
    return false;
  code.value = t.newValue(result->element, perRow);
  t.made[node.results[0]] = code.value;
  t.program.code.push_back(std::move(code));
  return true;
}

/// One step in place of the members; its results are what others read.
bool Fuser::replace(const Chain &chain, Translator &t) {
  StepNode fused;
  const StepNode &last = block_.steps[chain.end];
  fused.op = last.op;
  fused.name = "native.fused";
  for (auto [index, perRow] : chain.members) {
    SlotId slot = block_.steps[index].results[0];
    if (!isReadOutside(chain, slot))
      continue;
    fused.results.push_back(slot);
    fused.resultTypes.push_back(
        *knownTypeOf(block_.steps[index].op->getResult(0)));
    t.program.outputs.push_back(t.made[slot]);
  }
  fused.operands.assign(t.operands.begin(), t.operands.end());
  if (fused.results.empty())
    return false;
  fused.step = makeFusedStep(std::move(t.program), jit_);
  for (auto [index, perRow] : chain.members) {
    chainEnd_[index] = chain.end;
    block_.steps[index].results.clear();
    block_.steps[index].operands.clear();
    block_.steps[index].op = nullptr;
  }
  block_.steps[chain.end] = std::move(fused);
  return true;
}

bool Fuser::build(const Chain &chain) {
  std::vector<View> views;
  for (auto [index, perRow] : chain.members)
    for (SlotId slot : block_.steps[index].operands)
      if (auto view = views_.find(slot); view != views_.end())
        views.push_back(readOf(chain, false, slot).view);
  int64_t length = lengthOf(chain, views);
  Translator t(chain, product(chain.shape) / length, length);
  for (auto [index, perRow] : chain.members)
    if (!translate(chain, index, perRow, t))
      return false;
  return replace(chain, t);
}

void Fuser::run() {
  for (size_t end = block_.steps.size(); end-- > 0;)
    if (std::optional<Chain> chain = startAt(end); chain && worthwhile(*chain))
      build(*chain);
  std::erase_if(block_.steps, [](const StepNode &node) {
    return node.control == StepNode::Control::Data && !node.op;
  });
}

void fuseLoops(const FunctionPlan &function, BlockPlan &block,
               const std::function<bool(mlir::Operation *)> &wanted,
               std::shared_ptr<kernels::Jit> jit) {
  Fuser(function, block, wanted, std::move(jit)).run();
}

} // namespace assay::engine
