// The additional leading dimension is sharded over the mesh axes that a
// sharding leaves free. Inside the manual computation its size is 1, and it is
// removed.
#include "OwnValues.h"
#include "Callback.h"

#include "assay/dialect/Sdy.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Expansions.h"
#include "assay/program/Shardings.h"

namespace assay::pjrt {

using namespace mlir;
using program::ManualComputation;

namespace {
/// The free axes of a value, and the places along them.
struct Rows {
  std::vector<std::string> axes;
  int64_t count = 1;
};
} // namespace

static Rows rowsOf(const ManualComputation &manual,
                   const program::Sharding &sharding) {
  Rows rows;
  for (const program::Mesh::Axis &axis : manual.mesh.axes) {
    bool isFree = llvm::is_contained(manual.manualAxes, axis.name);
    for (const std::vector<std::string> &axes : sharding)
      isFree &= !llvm::is_contained(axes, axis.name);
    if (!isFree)
      continue;
    rows.axes.push_back(axis.name);
    rows.count *= axis.size;
  }
  return rows;
}

/// The shardings of a decoded computation, with the rows in front of the dimensions of
/// number `at`; and only that one.
static std::pair<sdy::SdyTextAttr, sdy::SdyTextAttr>
withRows(sdy::SdyTextAttr list, unsigned at, const Rows &rows,
         Operation *user) {
  std::vector<program::ValueSharding> shardings =
      llvm::cantFail(program::parseShardings(list.getText(), user));
  shardings[at].addLeading(rows.axes);
  auto attribute = [&](const std::string &text) {
    return sdy::SdyTextAttr::get(list.getContext(), text);
  };
  return {attribute(program::textOf(shardings)),
          attribute(program::textOf(shardings[at]))};
}

static RankedTensorType leading(int64_t size, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin(), size);
  return RankedTensorType::get(shape, tensor.getElementType());
}

static Value reshaped(OpBuilder &builder, Value value, Type type) {
  OperationState state(value.getLoc(), "stablehlo.reshape", value, type);
  return builder.create(state)->getResult(0);
}

/// The first row, with the value's original type.
static Value firstRow(OpBuilder &builder, Value value, Type type) {
  auto whole = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> starts(whole.getRank(), 0), ones(whole.getRank(), 1),
      limits(whole.getShape());
  limits[0] = 1;
  OperationState state(
      value.getLoc(), "stablehlo.slice", value, leading(1, type),
      {builder.getNamedAttr("start_indices",
                            builder.getDenseI64ArrayAttr(starts)),
       builder.getNamedAttr("limit_indices",
                            builder.getDenseI64ArrayAttr(limits)),
       builder.getNamedAttr("strides", builder.getDenseI64ArrayAttr(ones))});
  return reshaped(builder, builder.create(state)->getResult(0), type);
}

/// Makes all uses except one read the first row.
static void readFirst(OpBuilder &builder, Value value, Type type,
                      const OpOperand *but) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (&use != but)
      uses.push_back(&use);
  if (uses.empty())
    return;
  Value first = firstRow(builder, value, type);
  for (OpOperand *use : uses)
    use->set(first);
}

static sdy::ManualComputationOp ownerOf(const OpOperand &use) {
  auto op = dyn_cast<sdy::ManualComputationOp>(use.getOwner());
  return op && isa<func::FuncOp>(op->getParentOp()) ? op : nullptr;
}

static bool isSum(DictionaryAttr said) {
  return said && said.get(program::kSumAttribute);
}

/// Returns false if no manual computation reads the argument, or if every
/// device already has a different part.
static bool spreadArgument(func::FuncOp main, unsigned number) {
  BlockArgument argument = main.getArgument(number);
  auto use = llvm::find_if(argument.getUses(), [](const OpOperand &each) {
    return ownerOf(each) != nullptr;
  });
  if (!isa<RankedTensorType>(argument.getType()) ||
      use == argument.use_end() || isSum(main.getArgAttrDict(number)))
    return false;
  sdy::ManualComputationOp op = ownerOf(*use);
  unsigned operand = use->getOperandNumber();
  llvm::Expected<ManualComputation> manual = ManualComputation::decode(op);
  if (!manual) { // the planner reports the error
    llvm::consumeError(manual.takeError());
    return false;
  }
  Rows rows = rowsOf(*manual, manual->operands[operand]);
  if (rows.count == 1 || !manual->operandSums[operand].empty())
    return false;
  MLIRContext *context = main.getContext();
  Type before = argument.getType();
  OpOperand *kept = &*use;
  argument.setType(leading(rows.count, before));
  OpBuilder atStart = OpBuilder::atBlockBegin(&main.getBody().front());
  readFirst(atStart, argument, before, kept);
  auto [list, one] = withRows(op.getInShardingsAttr(), operand, rows, op);
  op.setInShardingsAttr(list);
  main.setArgAttr(number, "sdy.sharding", one);
  main.setArgAttr(number, kOwnAttribute, UnitAttr::get(context));
  Block &body = op.getBody().front();
  Value inner = body.getArgument(operand);
  Type part = inner.getType();
  inner.setType(leading(1, part));
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  Value own = reshaped(inside, inner, part);
  inner.replaceAllUsesExcept(own, own.getDefiningOp());
  return true;
}

static bool callsPython(ModuleOp module) {
  return module
      .walk([](stablehlo::CustomCallOp call) {
        return call.getCallTargetName() == kCallbackTarget
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// If a result of a manual computation is returned through a constraint with
/// the same sharding (JAX 0.12 adds one), returns the result directly.
static void passConstraint(OpOperand &returned) {
  auto constraint = returned.get().getDefiningOp<sdy::ShardingConstraintOp>();
  if (!constraint)
    return;
  auto result = dyn_cast<OpResult>(constraint.getInput());
  if (!result || !isa<sdy::ManualComputationOp>(result.getOwner()))
    return;
  auto manual = ManualComputation::decode(result.getOwner());
  auto asked =
      program::parseSharding(constraint.getSharding().getText(), constraint);
  bool same = manual && asked && asked->mesh.devices == manual->mesh.devices &&
              asked->dimensions == manual->results[result.getResultNumber()];
  llvm::consumeError(manual.takeError()); // the planner reports it
  llvm::consumeError(asked.takeError());
  if (same)
    returned.set(result);
}

static void spreadResult(func::FuncOp main, OpOperand &returned) {
  passConstraint(returned);
  unsigned number = returned.getOperandNumber();
  auto op = returned.get().getDefiningOp<sdy::ManualComputationOp>();
  if (!op || !isa<RankedTensorType>(returned.get().getType()) ||
      isSum(main.getResultAttrDict(number)))
    return;
  llvm::Expected<ManualComputation> manual = ManualComputation::decode(op);
  if (!manual) {
    llvm::consumeError(manual.takeError());
    return;
  }
  auto result = cast<OpResult>(returned.get());
  unsigned at = result.getResultNumber();
  Rows rows = rowsOf(*manual, manual->results[at]);
  if (rows.count == 1 || !manual->resultSums[at].empty() ||
      main.getResultAttr(number, kOwnAttribute))
    return;
  MLIRContext *context = main.getContext();
  Operation *end = op.getBody().front().getTerminator();
  OpBuilder inside(end);
  Type before = result.getType();
  end->setOperand(at, reshaped(inside, end->getOperand(at),
                               leading(1, end->getOperand(at).getType())));
  result.setType(leading(rows.count, before));
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  readFirst(after, result, before, &returned);
  auto [list, one] = withRows(op.getOutShardingsAttr(), at, rows, op);
  op.setOutShardingsAttr(list);
  main.setResultAttr(number, "sdy.sharding", one);
  main.setResultAttr(number, kOwnAttribute, UnitAttr::get(context));
}

void keepOwnValues(func::FuncOp main, const std::vector<bool> &own) {
  bool spreads = callsPython(main->getParentOfType<ModuleOp>());
  for (auto [i, isOwn] : llvm::enumerate(own))
    if (isOwn)
      spreads |= spreadArgument(main, static_cast<unsigned>(i));
  if (!spreads)
    return;
  Block &body = main.getBody().front();
  Operation *end = body.getTerminator();
  for (OpOperand &returned : end->getOpOperands())
    spreadResult(main, returned);
  main.setFunctionType(FunctionType::get(
      main.getContext(), body.getArgumentTypes(), end->getOperandTypes()));
}

} // namespace assay::pjrt
