// One pass over the operations in program order, including called functions.
// Each operation has a rule for how the cut of its result's dimensions follows
// from its operands; most results have their operands' shape. Where operands
// disagree, the first one counts.
#include "Callback.h"
#include "Propagation.h"

#include "assay/dialect/Sdy.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/reference/custom/CustomCalls.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

namespace assay::pjrt {

using namespace mlir;
using program::Mesh;

namespace {
class Walk {
public:
  explicit Walk(Inspected &inspected) : inspected_(inspected) {}
  /// The cuts of the values that the block's last operation returns.
  std::vector<Cut> through(Block &block);
  /// The same, after setting the cuts of the block's arguments.
  std::vector<Cut> into(Block &body, ArrayRef<Cut> cuts);
  std::vector<Cut> cutsOf(OperandRange values) const;
  void set(Value value, Cut cut) { known_[value] = std::move(cut); }

private:
  using Rule = void (Walk::*)(Operation *);

  static Rule ruleOf(llvm::StringRef name);
  void sameDimensions(Operation *op);
  void broadcast(Operation *op);
  void transpose(Operation *op);
  void reshape(Operation *op);
  void reduce(Operation *op);
  void dot(Operation *op);
  void gather(Operation *op);
  void loop(Operation *op);
  void branch(Operation *op);
  void call(Operation *op);
  void constraint(Operation *op);
  void manual(Operation *op);
  void group(Operation *op);
  void customCall(Operation *op);
  void unknown(Operation *) {}

  /// Cuts dimension `to` of a value like dimension `from` of `source`, if these
  /// axes cut no other dimension and their sizes divide it.
  void take(Value out, unsigned to, const Cut &source, unsigned from);
  /// The same, with the cut of another value as the source.
  void take(Value out, unsigned to, Value in, unsigned from) {
    if (Cut source = known_.lookup(in); source.mesh)
      take(out, to, source, from);
  }
  /// The same for all dimensions of a value.
  void takeAll(Value out, Value in);

  llvm::DenseMap<Value, Cut> known_;
  std::map<int64_t, std::vector<Value>> groups_; ///< values of each group so
                                                 ///< far
  Inspected &inspected_;
  bool inManual_ = false; ///< inside, values belong to a single device
  int64_t left_ = 200'000; ///< how many more operations may be visited
};
} // namespace

static RankedTensorType typeOf(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

void Walk::take(Value out, unsigned to, const Cut &source, unsigned from) {
  if (source.dimensions[from].empty())
    return;
  Cut &cut = known_[out];
  RankedTensorType type = typeOf(out);
  if (!cut.mesh) {
    cut.mesh = source.mesh;
    cut.dimensions.resize(static_cast<size_t>(type.getRank()));
  }
  int64_t parts = 1;
  for (const std::string &axis : source.dimensions[from]) {
    for (const std::vector<std::string> &other : cut.dimensions)
      if (llvm::is_contained(other, axis))
        return;
    const Mesh::Axis *known = cut.mesh->find(axis);
    if (!known)
      return;
    parts *= known->size;
  }
  if (cut.mesh->devices == source.mesh->devices &&
      cut.dimensions[to].empty() && !type.isDynamicDim(to) &&
      type.getDimSize(to) % parts == 0)
    cut.dimensions[to] = source.dimensions[from];
}

void Walk::takeAll(Value out, Value in) {
  RankedTensorType to = typeOf(out), from = typeOf(in);
  if (!to || !from || to.getRank() != from.getRank())
    return;
  for (unsigned d = 0; d < to.getRank(); ++d)
    if (to.getDimSize(d) == from.getDimSize(d))
      take(out, d, in, d);
}

void Walk::sameDimensions(Operation *op) {
  for (Value result : op->getResults())
    for (Value operand : op->getOperands())
      takeAll(result, operand);
}

static ArrayRef<int64_t> numbers(Operation *op, llvm::StringRef name) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

void Walk::broadcast(Operation *op) {
  Value in = op->getOperand(0), out = op->getResult(0);
  for (auto [from, to] : llvm::enumerate(numbers(op, "broadcast_dimensions")))
    if (typeOf(in).getDimSize(unsigned(from)) ==
        typeOf(out).getDimSize(unsigned(to)))
      take(out, unsigned(to), in, unsigned(from));
}

void Walk::transpose(Operation *op) {
  for (auto [to, from] : llvm::enumerate(numbers(op, "permutation")))
    take(op->getResult(0), unsigned(to), op->getOperand(0), unsigned(from));
}

// The shapes are compared in runs with the same number of elements. In a run
// that is split or joined, the outermost dimension keeps its axes.
void Walk::reshape(Operation *op) {
  Value in = op->getOperand(0), out = op->getResult(0);
  RankedTensorType from = typeOf(in), to = typeOf(out);
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return;
  unsigned i = 0, j = 0;
  while (i < from.getRank() && j < to.getRank()) {
    if (from.getDimSize(i) == 1 && to.getDimSize(j) != 1) {
      ++i;
      continue;
    }
    if (to.getDimSize(j) == 1 && from.getDimSize(i) != 1) {
      ++j;
      continue;
    }
    take(out, j, in, i);
    int64_t a = from.getDimSize(i++), b = to.getDimSize(j++);
    while (a != b) {
      bool more = a < b ? i < from.getRank() : j < to.getRank();
      if (!more)
        return;
      if (a < b)
        a *= from.getDimSize(i++);
      else
        b *= to.getDimSize(j++);
    }
  }
}

void Walk::reduce(Operation *op) {
  ArrayRef<int64_t> gone = numbers(op, "dimensions");
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    unsigned to = 0;
    Value in = op->getOperand(unsigned(number));
    for (unsigned from = 0; from < typeOf(in).getRank(); ++from)
      if (!llvm::is_contained(gone, from))
        take(result, to++, in, from);
  }
}

void Walk::dot(Operation *op) {
  auto read = [&](llvm::StringRef what) {
    return op->getAttrOfType<stablehlo::DotDimensionNumbersAttr>(what);
  };
  auto names = read("dot_dimension_numbers");
  if (!names)
    return;
  Value out = op->getResult(0);
  unsigned to = 0;
  for (auto [a, b] : llvm::zip_equal(names.getLhsBatchingDimensions(),
                                     names.getRhsBatchingDimensions())) {
    take(out, to, op->getOperand(0), unsigned(a));
    take(out, to++, op->getOperand(1), unsigned(b));
  }
  auto own = [&](Value in, ArrayRef<int64_t> batch, ArrayRef<int64_t> summed) {
    for (unsigned d = 0; d < typeOf(in).getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(summed, d))
        take(out, to++, in, d);
  };
  own(op->getOperand(0), names.getLhsBatchingDimensions(),
      names.getLhsContractingDimensions());
  own(op->getOperand(1), names.getRhsBatchingDimensions(),
      names.getRhsContractingDimensions());
}

/// Dimensions that slices contain whole, and the batch dimensions of the
/// indices.
void Walk::gather(Operation *op) {
  auto names = op->getAttrOfType<stablehlo::GatherDimensionNumbersAttr>(
      "dimension_numbers");
  if (!names)
    return;
  Value in = op->getOperand(0), indices = op->getOperand(1),
        out = op->getResult(0);
  ArrayRef<int64_t> offsets = names.getOffsetDims();
  for (auto [d, size] : llvm::enumerate(numbers(op, "slice_sizes"))) {
    if (llvm::is_contained(names.getCollapsedSliceDims(), d) ||
        llvm::is_contained(names.getOperandBatchingDims(), d))
      continue;
    if (size == typeOf(in).getDimSize(unsigned(d)))
      take(out, unsigned(offsets.front()), in, unsigned(d));
    offsets = offsets.drop_front();
  }
  unsigned from = 0;
  for (unsigned to = 0; to < typeOf(out).getRank(); ++to) {
    if (llvm::is_contained(names.getOffsetDims(), to))
      continue;
    from += from == names.getIndexVectorDim();
    take(out, to, indices, from++);
  }
}

std::vector<Cut> Walk::cutsOf(OperandRange values) const {
  std::vector<Cut> cuts;
  for (Value value : values)
    cuts.push_back(known_.lookup(value));
  return cuts;
}

std::vector<Cut> Walk::into(Block &body, ArrayRef<Cut> cuts) {
  for (auto [argument, cut] : llvm::zip_equal(body.getArguments(), cuts))
    set(argument, cut);
  return through(body);
}

/// Each value of a loop keeps the cut with which it enters; one that enters
/// whole gets the cut of the body's result.
void Walk::loop(Operation *op) {
  std::vector<Cut> carried = cutsOf(op->getOperands());
  bool changed = false;
  for (auto [before, after] : llvm::zip_equal(
           carried, into(op->getRegion(1).front(), carried)))
    if (!before.mesh && after.mesh) {
      before = after;
      changed = true;
    }
  for (Region &region : op->getRegions().take_front(changed ? 2 : 1))
    into(region.front(), carried);
  for (auto [result, cut] : llvm::zip_equal(op->getResults(), carried))
    set(result, cut);
}

/// Results are cut like those of the first branch.
void Walk::branch(Operation *op) {
  for (Region &region : llvm::reverse(op->getRegions()))
    for (auto [result, cut] :
         llvm::zip_equal(op->getResults(), through(region.front())))
      set(result, cut);
}

void Walk::call(Operation *op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, cast<func::CallOp>(op).getCalleeAttr());
  if (!callee || callee.isDeclaration())
    return;
  for (auto [result, cut] : llvm::zip_equal(
           op->getResults(),
           into(callee.getBody().front(), cutsOf(op->getOperands()))))
    set(result, cut);
}

static Cut cutOf(const program::ValueSharding &sharding) {
  return {std::make_shared<Mesh>(sharding.mesh), sharding.dimensions};
}

/// Cut as the text says; dimensions that it leaves open are cut like the
/// operand's.
void Walk::constraint(Operation *op) {
  auto text = op->getAttrOfType<sdy::SdyTextAttr>("sharding");
  llvm::Expected<program::ValueSharding> said =
      program::parseSharding(text.getText(), op);
  if (!said)
    return llvm::consumeError(said.takeError());
  Value out = op->getResult(0);
  set(out, said->mesh.axes.empty() ? Cut() : cutOf(*said));
  // A value that is still to be summed over an axis keeps its parts as terms.
  Cut before = known_.lookup(op->getOperand(0)), &after = known_[out];
  for (size_t d = 0; d < before.dimensions.size() && after.mesh; ++d)
    for (const std::string &axis : before.dimensions[d])
      if (llvm::is_contained(said->sums, axis))
        after.dimensions[d].push_back(axis);
  for (unsigned d = 0; d < said->open.size(); ++d)
    if (said->open[d])
      take(out, d, op->getOperand(0), d);
}

/// An operand that is not cut yet is cut as the computation reads it. A result is cut by the manual axes first, then
/// by those that the region leaves to a partitioner.
void Walk::manual(Operation *op) {
  llvm::Expected<program::ManualComputation> manual =
      program::ManualComputation::decode(op);
  if (!manual) // the planner reports the error
    return llvm::consumeError(manual.takeError());
  auto mesh = std::make_shared<Mesh>(manual->mesh);
  Block &body = op->getRegion(0).front();
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    Cut read{mesh, manual->operands[number]};
    for (unsigned d = 0; d < read.dimensions.size(); ++d)
      take(operand, d, read, d);
    Cut cut = known_.lookup(operand);
    for (std::vector<std::string> &axes : cut.dimensions)
      llvm::erase_if(axes, [&](const std::string &axis) {
        return llvm::is_contained(manual->manualAxes, axis);
      });
    set(body.getArgument(unsigned(number)), cut);
  }
  bool before = std::exchange(inManual_, true);
  std::vector<Cut> free = through(body);
  inManual_ = before;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    Cut cut{mesh, manual->results[number]};
    for (size_t d = 0; d < free[number].dimensions.size(); ++d)
      llvm::append_range(cut.dimensions[d], free[number].dimensions[d]);
    set(result, cut);
  }
}

/// The number of pieces.
static int64_t piecesOf(const Cut &cut) {
  int64_t pieces = 1;
  for (const std::vector<std::string> &axes : cut.dimensions)
    for (const std::string &axis : axes)
      if (const Mesh::Axis *known = cut.mesh->find(axis))
        pieces *= known->size;
  return pieces;
}

/// Cuts all values of the group like the one with the most pieces.
void Walk::group(Operation *op) {
  std::vector<Value> &values =
      groups_[op->getAttrOfType<IntegerAttr>("group_id").getInt()];
  values.push_back(op->getOperand(0));
  Value best = *llvm::max_element(values, [&](Value a, Value b) {
    return piecesOf(known_.lookup(a)) < piecesOf(known_.lookup(b));
  });
  for (Value value : values)
    if (value != best) {
      known_.erase(value);
      takeAll(value, best);
    }
}

void Walk::customCall(Operation *op) {
  auto target = op->getAttrOfType<StringAttr>("call_target_name");
  bool asks = target && target.getValue() == kInspectTarget &&
              op->getNumOperands() == 1 && op->getNumResults() == 1;
  if (asks || (reference::configOf(op, kPartsAttribute) && !inManual_))
    inspected_[op] = cutsOf(op->getOperands());
  if (reference::isAnnotation(op))
    for (auto [result, operand] : llvm::zip(op->getResults(), op->getOperands()))
      takeAll(result, operand);
}

Walk::Rule Walk::ruleOf(llvm::StringRef name) {
  return llvm::StringSwitch<Rule>(name)
      .Case("func.call", &Walk::call)
      .Case("sdy.sharding_constraint", &Walk::constraint)
      .Case("sdy.manual_computation", &Walk::manual)
      .Case("sdy.sharding_group", &Walk::group)
      .Case("stablehlo.broadcast_in_dim", &Walk::broadcast)
      .Case("stablehlo.transpose", &Walk::transpose)
      .Case("stablehlo.reshape", &Walk::reshape)
      .Case("stablehlo.reduce", &Walk::reduce)
      .Case("stablehlo.dot_general", &Walk::dot)
      .Case("stablehlo.gather", &Walk::gather)
      .Case("stablehlo.while", &Walk::loop)
      .Cases({"stablehlo.case", "stablehlo.if"}, &Walk::branch)
      .Case("stablehlo.custom_call", &Walk::customCall)
      .Cases({"stablehlo.convolution", "stablehlo.fft"}, &Walk::unknown)
      .Default(&Walk::sameDimensions);
}

std::vector<Cut> Walk::through(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (--left_ < 0)
      break;
    for (Value result : op.getResults())
      known_.erase(result); // set by an earlier call of the same function
    (this->*ruleOf(op.getName().getStringRef()))(&op);
  }
  return cutsOf(block.getTerminator()->getOperands());
}

std::vector<Cut> propagateToResults(func::FuncOp function,
                                    Inspected &inspected) {
  Walk walk(inspected);
  for (BlockArgument argument : function.getArguments())
    if (auto text = function.getArgAttrOfType<sdy::SdyTextAttr>(
            argument.getArgNumber(), "sdy.sharding")) {
      llvm::Expected<program::ValueSharding> said =
          program::parseSharding(text.getText(), function);
      if (said)
        walk.set(argument, cutOf(*said));
      else
        llvm::consumeError(said.takeError());
    }
  return walk.through(function.getBody().front());
}

} // namespace assay::pjrt
