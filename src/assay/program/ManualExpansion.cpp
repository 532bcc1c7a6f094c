// Two kinds of sdy.manual_computation that the scheduler of processes does not
// know. One inside another runs in the processes that there are: each takes
// its parts of the operands and the results are gathered. Values that are
// still to be summed over axes (`unreduced`): as an operand the first device
// along these axes has the value and the others zeros, as a result it is summed.
#include "assay/dialect/Sdy.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/program/Expansions.h"
#include "assay/program/ExpansionRewriter.h"
#include "assay/program/Shardings.h"

namespace assay::program {

using namespace mlir;

static constexpr llvm::StringLiteral kInside = "assay.in_processes";

namespace {
/// Writes what a device does by its place of a mesh.
class Places : public ExpansionRewriter {
public:
  Places(Operation *op, const Mesh &mesh)
      : ExpansionRewriter(op), mesh_(mesh) {}

  Value part(Value whole, const Sharding &sharding);
  Value gathered(Value part, const Sharding &sharding);
  /// Zeros but on the first device along the axes.
  Value keptByFirst(Value value, ArrayRef<std::string> axes);
  Value summed(Value value, ArrayRef<std::string> axes);

private:
  Value numberAt(llvm::function_ref<int64_t(int64_t)> ofPlace);
  OperationState collective(StringRef name, Value value, Type type,
                            ArrayRef<std::string> axes);

  const Mesh &mesh_;
};
} // namespace

/// The number that belongs to this device's place.
Value Places::numberAt(llvm::function_ref<int64_t(int64_t)> ofPlace) {
  SmallVector<int64_t> byDevice(
      static_cast<size_t>(1 + *llvm::max_element(mesh_.devices)), 0);
  for (int64_t place = 0; place < mesh_.size(); ++place)
    byDevice[static_cast<size_t>(mesh_.devices[static_cast<size_t>(place)])] =
        ofPlace(place);
  auto scalar = [](Type element) { return RankedTensorType::get({}, element); };
  Type u32 = builder().getIntegerType(32, /*isSigned=*/false);
  Value device = make("stablehlo.partition_id", scalar(u32), {});
  return element(numbers(byDevice),
                 make("stablehlo.convert", scalar(builder().getI64Type()),
                      device));
}

Value Places::part(Value whole, const Sharding &sharding) {
  RankedTensorType type = typeOf(whole);
  if (llvm::all_of(sharding, [](const auto &axes) { return axes.empty(); }))
    return whole;
  SmallVector<Value> operands = {whole};
  for (size_t d = 0; d < sharding.size(); ++d)
    operands.push_back(numberAt([&](int64_t place) {
      return boxOf(mesh_, sharding, place, type.getShape()).offset[d];
    }));
  auto sizes = boxOf(mesh_, sharding, 0, type.getShape()).sizes;
  return make("stablehlo.dynamic_slice",
              RankedTensorType::get(sizes, type.getElementType()), operands,
              named("slice_sizes", builder().getDenseI64ArrayAttr(sizes)));
}

OperationState Places::collective(StringRef name, Value value, Type type,
                                  ArrayRef<std::string> axes) {
  std::vector<std::vector<int64_t>> rows = mesh_.groupsAlong(axes);
  SmallVector<int64_t> flat;
  for (const std::vector<int64_t> &row : rows)
    flat.append(row.begin(), row.end());
  auto groups = RankedTensorType::get({static_cast<int64_t>(rows.size()),
                                       static_cast<int64_t>(rows[0].size())},
                                      builder().getI64Type());
  constexpr int64_t kChannel = 1, kDeviceToDevice = 1;
  return OperationState(
      location(), name, value, type,
      {named("replica_groups",
             DenseElementsAttr::get(groups, ArrayRef<int64_t>(flat))),
       named("channel_handle",
             stablehlo::ChannelHandleAttr::get(builder().getContext(), kChannel,
                                               kDeviceToDevice)),
       named("use_global_device_ids", builder().getUnitAttr())});
}

Value Places::gathered(Value part, const Sharding &sharding) {
  for (size_t d = 0; d < sharding.size(); ++d) {
    if (sharding[d].empty())
      continue;
    SmallVector<int64_t> shape(typeOf(part).getShape());
    for (const std::string &axis : sharding[d])
      shape[d] *= mesh_.find(axis)->size;
    OperationState state = collective(
        "stablehlo.all_gather", part,
        RankedTensorType::get(shape, typeOf(part).getElementType()),
        sharding[d]);
    state.addAttribute("all_gather_dim",
                       builder().getI64IntegerAttr(static_cast<int64_t>(d)));
    part = create(state)->getResult(0);
  }
  return part;
}

Value Places::keptByFirst(Value value, ArrayRef<std::string> axes) {
  if (axes.empty())
    return value;
  Value along = numberAt([&](int64_t place) {
    return llvm::any_of(axes, [&](const std::string &axis) {
      return mesh_.coordinate(place, axis) != 0;
    });
  });
  Value zeros = make("stablehlo.constant", value.getType(), {},
                     named("value", zeroOf(typeOf(value))));
  return make("stablehlo.select", value.getType(),
              {compare("EQ", along, number(0)), value, zeros});
}

Value Places::summed(Value value, ArrayRef<std::string> axes) {
  if (axes.empty())
    return value;
  OperationState state =
      collective("stablehlo.all_reduce", value, value.getType(), axes);
  addSumRegion(state,
               RankedTensorType::get({}, typeOf(value).getElementType()));
  return create(state)->getResult(0);
}

static bool isInside(sdy::ManualComputationOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  return op->getParentOfType<sdy::ManualComputationOp>() ||
         (function && function->hasAttr(kInside));
}

/// In place of the operation: what it holds, on this device's parts.
static void open(sdy::ManualComputationOp op, const ManualComputation &manual) {
  Places places(op, manual.mesh);
  Block &body = op.getBody().front();
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    body.getArgument(i).replaceAllUsesWith(places.part(
        places.keptByFirst(op->getOperand(i), manual.operandSums[i]),
        manual.operands[i]));
  Operation *end = body.getTerminator();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations(), body.begin(),
                                         end->getIterator());
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    places.replace(
        i, places.gathered(
               places.summed(end->getOperand(i), manual.resultSums[i]),
               manual.results[i]));
}

/// The text without `unreduced={...}`.
static sdy::SdyTextAttr withoutSums(sdy::SdyTextAttr attribute) {
  std::string text = attribute.getText().str();
  for (size_t at; (at = text.find(", unreduced={")) != std::string::npos;)
    text.erase(at, text.find('}', at) + 1 - at);
  return sdy::SdyTextAttr::get(attribute.getContext(), text);
}

/// Sums inside of the region, which then has whole values.
static void sumInside(sdy::ManualComputationOp op,
                      const ManualComputation &manual) {
  Block &body = op.getBody().front();
  Operation *end = body.getTerminator();
  Places before(&body.front(), manual.mesh), after(end, manual.mesh);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value argument = body.getArgument(i);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    Value kept = before.keptByFirst(argument, manual.operandSums[i]);
    for (OpOperand *use : uses)
      use->set(kept);
  }
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    end->setOperand(i, after.summed(end->getOperand(i), manual.resultSums[i]));
  op.setInShardingsAttr(withoutSums(op.getInShardingsAttr()));
  op.setOutShardingsAttr(withoutSums(op.getOutShardingsAttr()));
}

bool expandManual(Operation *operation) {
  auto op = cast<sdy::ManualComputationOp>(operation);
  llvm::Expected<ManualComputation> manual = ManualComputation::decode(op);
  if (!manual) { // said where it is planned
    llvm::consumeError(manual.takeError());
    return false;
  }
  if (isInside(op)) {
    open(op, *manual);
    return true;
  }
  if (!llvm::all_of(llvm::concat<const std::vector<std::string>>(
                        manual->operandSums, manual->resultSums),
                    [](const auto &axes) { return axes.empty(); }))
    sumInside(op, *manual);
  return false;
}

/// The sharding of a value that gets a leading dimension for its sums, with
/// the number of places along it; no text for one without sums.
static std::pair<sdy::SdyTextAttr, int64_t> withLeading(Attribute attribute,
                                                        Operation *function) {
  auto text = dyn_cast_or_null<sdy::SdyTextAttr>(attribute);
  if (!text)
    return {};
  llvm::Expected<ValueSharding> sharding =
      parseSharding(text.getText(), function);
  if (!sharding) { // said where it is placed
    llvm::consumeError(sharding.takeError());
    return {};
  }
  int64_t places = 1;
  std::string axes;
  for (const std::string &axis : sharding->sums)
    if (const Mesh::Axis *known = sharding->mesh.find(axis)) {
      places *= known->size;
      axes += (axes.empty() ? "\"" : ", \"") + axis + "\"";
    }
  if (places == 1)
    return {};
  std::string changed = withoutSums(text).getText().str();
  changed.insert(changed.find(", [") + 3,
                 "{" + axes + "}" + (sharding->dimensions.empty() ? "" : ", "));
  return {sdy::SdyTextAttr::get(text.getContext(), changed), places};
}

static RankedTensorType leading(int64_t size, RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), size);
  return RankedTensorType::get(shape, type.getElementType());
}

/// The value at the first place of a leading dimension, zeros behind it.
static Value spreadOut(ExpansionRewriter &writer, Value value, int64_t places) {
  RankedTensorType type = writer.typeOf(value);
  Value first = writer.make("stablehlo.reshape", leading(1, type), value);
  auto one = RankedTensorType::get({}, type.getElementType());
  Value zero =
      writer.make("stablehlo.constant", one, {},
                  writer.named("value", ExpansionRewriter::zeroOf(one)));
  SmallVector<int64_t> none(static_cast<size_t>(type.getRank() + 1), 0);
  SmallVector<int64_t> high(none);
  high[0] = places - 1;
  auto numbers = [&](ArrayRef<int64_t> values) {
    return writer.builder().getDenseI64ArrayAttr(values);
  };
  return writer.make("stablehlo.pad", leading(places, type), {first, zero},
                     {writer.named("edge_padding_low", numbers(none)),
                      writer.named("edge_padding_high", numbers(high)),
                      writer.named("interior_padding", numbers(none))});
}

void spreadSums(func::FuncOp function) {
  Block &body = function.getBody().front();
  Operation *end = body.getTerminator();
  Builder attributes(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto [text, places] =
        withLeading(function.getArgAttr(i, "sdy.sharding"), function);
    if (!text || !type)
      continue;
    function.setArgAttr(i, "sdy.sharding", text);
    function.setArgAttr(i, kSumAttribute, attributes.getUnitAttr());
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    argument.setType(leading(places, type));
    Value sum = ExpansionRewriter(&body.front()).sum(argument, {0});
    for (OpOperand *use : uses)
      use->set(sum);
  }
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    auto [text, places] =
        withLeading(function.getResultAttr(i, "sdy.sharding"), function);
    if (!text || !isa<RankedTensorType>(end->getOperand(i).getType()))
      continue;
    function.setResultAttr(i, "sdy.sharding", text);
    function.setResultAttr(i, kSumAttribute, attributes.getUnitAttr());
    ExpansionRewriter writer(end);
    end->setOperand(i, spreadOut(writer, end->getOperand(i), places));
  }
  function.setFunctionType(attributes.getFunctionType(
      body.getArgumentTypes(), end->getOperandTypes()));
}

/// Whether a manual computation is in a function or in what it calls.
static bool hasManual(func::FuncOp function,
                      llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (!seen.insert(function).second)
    return false;
  WalkResult result = function.walk([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::interrupt();
    auto call = dyn_cast<func::CallOp>(op);
    auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                             call, call.getCalleeAttr())
                       : nullptr;
    return callee && hasManual(callee, seen) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void separateInnerFunctions(ModuleOp module) {
  SmallVector<Operation *> places;
  module->walk([&](sdy::ManualComputationOp op) { places.push_back(op); });
  SymbolTable symbols(module);
  llvm::DenseMap<Operation *, func::FuncOp> copies;
  while (!places.empty())
    places.pop_back_val()->walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      llvm::SmallPtrSet<Operation *, 8> seen;
      if (!callee || callee->hasAttr(kInside) || !hasManual(callee, seen))
        return;
      func::FuncOp &copy = copies[callee];
      if (!copy) {
        copy = callee.clone();
        copy->setAttr(kInside, UnitAttr::get(module.getContext()));
        symbols.insert(copy);
        places.push_back(copy);
      }
      call.setCallee(copy.getSymName());
    });
}

} // namespace assay::program
