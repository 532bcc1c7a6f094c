// Rewrites two kinds of sdy.manual_computation that the process scheduler does
// not handle. (1) A computation inside another one runs in the existing
// processes: each takes its parts of the operands, and the results are
// gathered. (2) Values that are still to be summed over axes (`unreduced`): the
// first device along these axes keeps an operand and the others get zeros; a
// result is summed.
#include "assay/dialect/Sdy.h"
#include "assay/dialect/StablehloAttrs.h"
#include "assay/program/Expansions.h"
#include "assay/program/ExpansionRewriter.h"
#include "assay/program/Shardings.h"

namespace assay::program {

using namespace mlir;

static constexpr llvm::StringLiteral kInside = "assay.in_processes";

namespace {
/// Writes computations that depend on a device's place in a mesh.
class Places : public ExpansionRewriter {
public:
  Places(Operation *op, const Mesh &mesh)
      : ExpansionRewriter(op), mesh_(mesh) {}

  Value part(Value whole, const Sharding &sharding);
  Value gathered(Value part, const Sharding &sharding);
  /// The value on the first device along the axes, zeros on the others.
  Value keptByFirst(Value value, ArrayRef<std::string> axes);
  Value summed(Value value, ArrayRef<std::string> axes);

private:
  Value numberAt(llvm::function_ref<int64_t(int64_t)> ofPlace);
  OperationState collective(StringRef name, Value value, Type type,
                            ArrayRef<std::string> axes);

  const Mesh &mesh_;
};
} // namespace

/// The number that `ofPlace` gives for the place of the running device.
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

/// Puts the computation's body, on this device's parts, in place of the op.
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

/// The shardings of a decoded computation, nothing left to be summed.
static sdy::SdyTextAttr withoutSums(sdy::SdyTextAttr attribute,
                                    Operation *user) {
  std::vector<ValueSharding> shardings =
      llvm::cantFail(parseShardings(attribute.getText(), user));
  for (ValueSharding &each : shardings)
    each.sums.clear();
  return sdy::SdyTextAttr::get(attribute.getContext(), textOf(shardings));
}

/// Sums inside the region, so that the values outside are complete.
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
  op.setInShardingsAttr(withoutSums(op.getInShardingsAttr(), op));
  op.setOutShardingsAttr(withoutSums(op.getOutShardingsAttr(), op));
}

bool expandManual(Operation *operation) {
  auto op = cast<sdy::ManualComputationOp>(operation);
  llvm::Expected<ManualComputation> manual = ManualComputation::decode(op);
  if (!manual) { // the planner reports the error
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

bool expandShardingGroup(Operation *) { return true; }

namespace {
/// A value's sharding with a leading dimension for the terms of its sum, and a
/// mesh of the places along it; `text` is null for a value without sums.
struct Terms {
  sdy::SdyTextAttr text;
  Mesh mesh;
};
} // namespace

static Terms termsOf(Attribute attribute, Operation *function) {
  auto text = dyn_cast_or_null<sdy::SdyTextAttr>(attribute);
  if (!text)
    return {};
  llvm::Expected<ValueSharding> sharding =
      parseSharding(text.getText(), function);
  if (!sharding) { // reported where the value is placed
    llvm::consumeError(sharding.takeError());
    return {};
  }
  std::vector<Mesh::Axis> axes;
  std::vector<std::string> names;
  for (const std::string &axis : sharding->sums)
    if (const Mesh::Axis *known = sharding->mesh.find(axis)) {
      axes.push_back(*known);
      names.push_back(axis);
    }
  Mesh mesh = llvm::cantFail(makeMesh(std::move(axes), {})); // only the axes of
                                                             // the sum
  if (mesh.size() == 1)
    return {};
  sharding->sums.clear();
  sharding->addLeading(std::move(names));
  return {sdy::SdyTextAttr::get(text.getContext(), textOf(*sharding)),
          std::move(mesh)};
}

static RankedTensorType leading(int64_t size, RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), size);
  return RankedTensorType::get(shape, type.getElementType());
}

static DenseI64ArrayAttr numbers(MLIRContext *context,
                                 ArrayRef<int64_t> values) {
  return DenseI64ArrayAttr::get(context, values);
}

/// The part of a value in `box`, with zeros around it.
static Value only(ExpansionRewriter &writer, Value value, const Box &box) {
  RankedTensorType type = writer.typeOf(value);
  if (ArrayRef<int64_t>(box.sizes) == type.getShape())
    return value;
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> limits, high, ones(box.sizes.size(), 1),
      zeros(box.sizes.size(), 0);
  for (size_t d = 0; d < box.sizes.size(); ++d) {
    limits.push_back(box.offset[d] + box.sizes[d]);
    high.push_back(type.getDimSize(unsigned(d)) - limits[d]);
  }
  Value part = writer.make(
      "stablehlo.slice",
      RankedTensorType::get(box.sizes, type.getElementType()), value,
      {writer.named("start_indices", numbers(context, box.offset)),
       writer.named("limit_indices", numbers(context, limits)),
       writer.named("strides", numbers(context, ones))});
  auto one = RankedTensorType::get({}, type.getElementType());
  Value zero =
      writer.make("stablehlo.constant", one, {},
                  writer.named("value", ExpansionRewriter::zeroOf(one)));
  return writer.make(
      "stablehlo.pad", type, {part, zero},
      {writer.named("edge_padding_low", numbers(context, box.offset)),
       writer.named("edge_padding_high", numbers(context, high)),
       writer.named("interior_padding", numbers(context, zeros))});
}

/// The axes of `parts` that the mesh has, for dimensions that they divide
/// evenly.
static Sharding usable(const Sharding &parts, const Mesh &mesh,
                       ArrayRef<int64_t> shape) {
  Sharding used(shape.size());
  for (size_t d = 0; d < std::min(parts.size(), shape.size()); ++d) {
    int64_t count = 1;
    for (const std::string &axis : parts[d])
      if (const Mesh::Axis *known = mesh.find(axis)) {
        used[d].push_back(axis);
        count *= known->size;
      }
    if (shape[d] % count != 0)
      used[d].clear();
  }
  return used;
}

/// Splits a value into terms along a leading dimension. Along axes that shard
/// it according to `parts`, each term has its own part; along the others the
/// first term has the value and the rest are zeros.
static Value spreadOut(ExpansionRewriter &writer, Value value,
                       const Mesh &terms, const Sharding &parts) {
  RankedTensorType type = writer.typeOf(value);
  Sharding used = usable(parts, terms, type.getShape());
  SmallVector<Value> rows;
  for (int64_t place = 0; place < terms.size(); ++place) {
    bool has = llvm::all_of(terms.axes, [&](const Mesh::Axis &axis) {
      return terms.coordinate(place, axis.name) == 0 ||
             llvm::any_of(used, [&](const std::vector<std::string> &axes) {
               return llvm::is_contained(axes, axis.name);
             });
    });
    Value term =
        has ? only(writer, value, boxOf(terms, used, place, type.getShape()))
            : writer.make("stablehlo.constant", type, {},
                          writer.named("value",
                                       ExpansionRewriter::zeroOf(type)));
    rows.push_back(writer.make("stablehlo.reshape", leading(1, type), term));
  }
  return writer.make("stablehlo.concatenate", leading(terms.size(), type), rows,
                     writer.named("dimension",
                                  writer.builder().getI64IntegerAttr(0)));
}

void spreadSums(func::FuncOp function,
                llvm::function_ref<Sharding(unsigned)> partsOfResult) {
  Block &body = function.getBody().front();
  Operation *end = body.getTerminator();
  Builder attributes(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto [text, mesh] =
        termsOf(function.getArgAttr(i, "sdy.sharding"), function);
    if (!text || !type)
      continue;
    function.setArgAttr(i, "sdy.sharding", text);
    function.setArgAttr(i, kSumAttribute, attributes.getUnitAttr());
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : argument.getUses())
      uses.push_back(&use);
    argument.setType(leading(mesh.size(), type));
    Value sum = ExpansionRewriter(&body.front()).sum(argument, {0});
    for (OpOperand *use : uses)
      use->set(sum);
  }
  for (unsigned i = 0; i < end->getNumOperands(); ++i) {
    auto [text, mesh] =
        termsOf(function.getResultAttr(i, "sdy.sharding"), function);
    if (!text || !isa<RankedTensorType>(end->getOperand(i).getType()))
      continue;
    function.setResultAttr(i, "sdy.sharding", text);
    function.setResultAttr(i, kSumAttribute, attributes.getUnitAttr());
    ExpansionRewriter writer(end);
    end->setOperand(
        i, spreadOut(writer, end->getOperand(i), mesh, partsOfResult(i)));
  }
  function.setFunctionType(attributes.getFunctionType(
      body.getArgumentTypes(), end->getOperandTypes()));
}

/// Whether a function, or one that it calls, has a manual computation.
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
