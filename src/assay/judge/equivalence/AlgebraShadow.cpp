// Which rule an operation has, elementwise operations, moves, and functions of
// whole tensors.
#include "assay/judge/equivalence/AlgebraShadow.h"
#include "assay/judge/Types.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/numerics/Convert.h"
#include "assay/reference/Elementwise.h"
#include "assay/reference/Reference.h"
#include "assay/reference/custom/CustomCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using program::Value;
using tensor::Tensor;
using tensor::TensorType;

static constexpr int64_t kWords = sizeof(Element) / 8;

std::vector<double> judge::valuesOf(const Tensor &tensor) {
  int64_t parts = partsOf(tensor.elementType()),
          count = tensor.isSplat() ? 1 : tensor.size();
  std::vector<double> values(static_cast<size_t>(count * parts));
  numerics::convertArray(tensor.elementType(), tensor.bytes(),
                         wideType(tensor.elementType()), values.data(), count);
  return values;
}

static llvm::ArrayRef<Element> viewOf(const Tensor &shadow) {
  return {reinterpret_cast<const Element *>(shadow.bytes()),
          static_cast<size_t>(shadow.size() / kWords)};
}

/// Room for elements, not yet written.
llvm::Expected<Tensor> AlgebraShadow::emptyShadow(int64_t elements) const {
  return Tensor::allocate(
      {ElementType::unsignedInteger(64), {elements * kWords}}, run_.budget);
}

llvm::Expected<Tensor>
AlgebraShadow::shadowOf(llvm::ArrayRef<Element> elements) const {
  llvm::Expected<Tensor> tensor =
      emptyShadow(static_cast<int64_t>(elements.size()));
  if (tensor && !elements.empty())
    std::memcpy(tensor->mutableBytes(), elements.data(),
                elements.size() * sizeof(Element));
  return tensor;
}

llvm::Expected<Value> AlgebraShadow::argument(const Tensor &value,
                                              const Tensor &given,
                                              unsigned number) {
  Value argument(value);
  if (!hasElements(argument)) {
    record(nullptr, number, argument);
    return argument;
  }
  std::optional<uint64_t> key;
  if (shared_)
    key = SharedSteps::keyOfArgument(number, value.type());
  if (shared_ && shared_->find(key, argument)) {
    record(nullptr, number, argument);
    return argument;
  }
  llvm::Expected<Tensor> dense = given.dense();
  if (!dense)
    return dense.takeError();
  std::vector<Element> elements;
  for (double x : valuesOf(*dense)) {
    elements.push_back(algebra_.argument(x));
    elements.back().format = static_cast<uint8_t>(value.elementType().format);
  }
  llvm::Expected<Tensor> shadow = shadowOf(elements);
  if (!shadow)
    return shadow.takeError();
  argument.setShadow(std::move(*shadow));
  if (shared_)
    shared_->keep(key, argument);
  record(nullptr, number, argument);
  return argument;
}

llvm::Expected<std::vector<Element>>
AlgebraShadow::elementsOf(const Value &value) const {
  if (value.shadow().valid()) {
    llvm::ArrayRef<Element> view = viewOf(value.shadow());
    return std::vector<Element>(view.begin(), view.end());
  }
  std::vector<Element> elements;
  for (double x : valuesOf(value.tensor()))
    elements.push_back(algebra_.constant(x));
  size_t parts = elements.size();
  auto whole = static_cast<size_t>(value.tensor().size() *
                                   partsOf(value.tensor().elementType()));
  if (value.tensor().isSplat())
    for (elements.resize(whole); parts < whole; ++parts)
      elements[parts] = elements[parts % partsOf(value.tensor().elementType())];
  return elements;
}

llvm::Error AlgebraShadow::set(Value &result,
                               std::vector<Element> elements) const {
  const Tensor &tensor = result.tensor();
  std::vector<double> values = valuesOf(tensor);
  for (size_t i = 0; i < elements.size(); ++i) {
    double value = values[i % values.size()];
    if (!std::isfinite(value))
      elements[i] = algebra_.number(value);
    if (elements[i].format == 0)
      elements[i].format = static_cast<uint8_t>(tensor.elementType().format);
  }
  llvm::Expected<Tensor> shadow = shadowOf(elements);
  if (!shadow)
    return shadow.takeError();
  result.setShadow(std::move(*shadow));
  return llvm::Error::success();
}

void AlgebraShadow::notDecided(mlir::Operation *op, llvm::StringRef why) {
  std::string text = op->getName().getStringRef().str();
  if (!why.empty())
    text += " (" + why.str() + ")";
  undecided_.insert(std::move(text));
}

/// The rules evaluate the bodies of reductions and similar operations.
bool AlgebraShadow::isFollowed(mlir::Operation *op) const {
  for (mlir::Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    llvm::StringRef name = parent->getName().getStringRef();
    if (mlir::isa<mlir::func::FuncOp>(parent))
      return true;
    if (name != "stablehlo.while" && name != "stablehlo.if" &&
        name != "stablehlo.case" && name != "stablehlo.async_start")
      return false;
  }
  return true;
}

void AlgebraShadow::beforeStep(const program::StepNode &node,
                               llvm::ArrayRef<Value *> operands) {
  if (!isFollowed(node.op))
    return;
  std::vector<Value> &kept = operands_[node.op];
  kept.clear();
  for (const Value *operand : operands)
    kept.push_back(*operand);
}

void AlgebraShadow::amend(const program::StepNode &node, Values results) {
  auto found = operands_.find(node.op);
  if (found == operands_.end())
    return;
  std::vector<Value> operands = std::move(found->second);
  operands_.erase(found);
  if (llvm::Error error = give(node.op, operands, results))
    notDecided(node.op, takeError(std::move(error)).message);
}

namespace {
enum class Way : uint8_t {
  Same,  ///< the value passes with its shadow
  Value, ///< the results' elements are their values
  Reshape,
  Move,
  Region,
  Product,
  Convolution,
  Opaque,
  Elementwise,
  None
};
} // namespace

static Way wayOf(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  Way way =
      llvm::StringSwitch<Way>(name)
          .Cases({"stablehlo.optimization_barrier", "stablehlo.tuple",
                  "stablehlo.get_tuple_element", "sdy.sharding_constraint",
                  "stablehlo.async_done"},
                 Way::Same)
          .Cases({"stablehlo.iota", "stablehlo.dynamic_iota", "stablehlo.rng",
                  "stablehlo.bitcast_convert", "chlo.constant_like"},
                 Way::Value)
          .Cases({"stablehlo.reshape", "stablehlo.dynamic_reshape"},
                 Way::Reshape)
          .Cases({"stablehlo.broadcast", "stablehlo.broadcast_in_dim",
                  "stablehlo.concatenate", "stablehlo.pad", "stablehlo.reverse",
                  "stablehlo.slice", "stablehlo.transpose"},
                 Way::Move)
          .Cases({"stablehlo.dynamic_broadcast_in_dim", "stablehlo.dynamic_pad",
                  "stablehlo.set_dimension_size", "stablehlo.dynamic_slice",
                  "stablehlo.dynamic_update_slice",
                  "stablehlo.real_dynamic_slice"},
                 Way::Move)
          .Cases({"stablehlo.gather", "stablehlo.dynamic_gather",
                  "stablehlo.torch_index_select"},
                 Way::Move)
          .Cases({"stablehlo.reduce", "stablehlo.reduce_window",
                  "stablehlo.map", "stablehlo.scatter",
                  "stablehlo.select_and_scatter", "stablehlo.sort",
                  "chlo.top_k"},
                 Way::Region)
          .Cases({"stablehlo.dot", "stablehlo.dot_general"}, Way::Product)
          .Case("stablehlo.convolution", Way::Convolution)
          .Cases({"stablehlo.fft", "stablehlo.cholesky",
                  "stablehlo.triangular_solve", "stablehlo.custom_call"},
                 Way::Opaque)
          .Default(Way::None);
  if (way == Way::Opaque && reference::isAnnotation(op))
    return Way::Same;
  if (way == Way::None && reference::ElementwiseFunction::knows(op))
    return Way::Elementwise;
  return way;
}

/// Operations that turn floats into integers: their decisions near a tie.
void AlgebraShadow::countTies(mlir::Operation *op, Values operands,
                              Values results) {
  llvm::StringRef name = op->getName().getStringRef();
  if (operands.empty() || !hasElements(operands[0]))
    return;
  if (name == "stablehlo.convert" && !hasElements(results[0]) &&
      operands[0].shadow().valid())
    for (double x : valuesOf(operands[0].tensor()))
      algebra_.noteNearWhole(x, operands[0].tensor().elementType().part().format);
  if (name != "stablehlo.compare" ||
      (!operands[0].shadow().valid() && !operands[1].shadow().valid()))
    return;
  std::vector<size_t> settled;
  bool holds = false;
  algebra_.compare(op, valuesOf(operands[0].tensor()),
                   valuesOf(operands[1].tensor()),
                   operands[0].tensor().elementType().part().format,
                   [&](size_t at, bool value) {
                     settled.push_back(at);
                     holds = value;
                   });
  if (settled.empty())
    return;
  const Tensor &before = results[0].tensor();
  llvm::Expected<Tensor> dense = before.dense(),
                         made = Tensor::allocate(before.type(), run_.budget);
  if (!dense || !made) {
    llvm::consumeError(llvm::joinErrors(dense.takeError(), made.takeError()));
    return;
  }
  std::byte *out = made->mutableBytes();
  std::memcpy(out, dense->bytes(), static_cast<size_t>(dense->denseBytes()));
  for (size_t at : settled) // a boolean has a byte
    out[at] = static_cast<std::byte>(holds);
  results[0] = Value(std::move(*made));
}

/// Takes the general path for operations that the short path does not support.
static llvm::Error either(llvm::Expected<bool> done,
                          llvm::function_ref<llvm::Error()> general) {
  if (!done)
    return done.takeError();
  return *done ? llvm::Error::success() : general();
}

/// Sums, products, quotients.
static bool isRing(llvm::StringRef name) {
  return llvm::is_contained({"stablehlo.add", "stablehlo.subtract",
                             "stablehlo.multiply", "stablehlo.divide",
                             "stablehlo.negate", "chlo.square"},
                            name);
}

/// Whether the results' elements are the numbers of their values.
bool AlgebraShadow::isFolded(mlir::Operation *op,
                             llvm::ArrayRef<Value> operands) const {
  if (llvm::any_of(operands, [](const Value &operand) {
        return operand.isTensor() && operand.shadow().valid();
      }))
    return false;
  switch (algebra_.options().folds) {
  case FoldedConstants::None:
    return false;
  case FoldedConstants::Functions:
    return !reached_.contains(op) && !isRing(op->getName().getStringRef());
  case FoldedConstants::All:
    return true;
  }
  return true;
}

llvm::Error AlgebraShadow::asValues(Values results) const {
  for (Value &result : results) {
    if (!hasElements(result))
      continue;
    llvm::Expected<std::vector<Element>> elements = elementsOf(result);
    if (!elements)
      return elements.takeError();
    if (llvm::Error error = set(result, std::move(*elements)))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error AlgebraShadow::give(mlir::Operation *op, Values operands,
                                Values results) {
  countTies(op, operands, results);
  if (llvm::none_of(results, [](const Value &v) { return hasElements(v); }) &&
      !results.empty() && wayOf(op) != Way::None)
    return llvm::Error::success();
  bool quantised = false;
  for (const Value &value : operands)
    quantised |= value.isTensor() && value.tensor().elementType().quantization;
  for (const Value &value : results)
    quantised |= value.isTensor() && value.tensor().elementType().quantization;
  if (quantised)
    return makeError(ErrorCode::Unsupported, "quantised elements");
  Way way = wayOf(op);
  if (way != Way::Same && way != Way::None && isFolded(op, operands))
    return llvm::Error::success();
  bool shares = shared_ && way != Way::Same && way != Way::Value &&
                way != Way::Reshape && way != Way::None;
  std::optional<uint64_t> key =
      shares ? shared_->keyOf(op, operands) : std::nullopt;
  if (shares && shared_->find(key, results))
    return llvm::Error::success();
  if (llvm::Error error = compute(op, operands, results))
    return error;
  if (shares)
    shared_->keep(key, results);
  return llvm::Error::success();
}

llvm::Error AlgebraShadow::compute(mlir::Operation *op, Values operands,
                                   Values results) {
  switch (wayOf(op)) {
  case Way::Same:
    return llvm::Error::success();
  case Way::Value:
    return asValues(results);
  case Way::Reshape:
    results[0].setShadow(operands[0].shadow());
    return llvm::Error::success();
  case Way::Move:
    return either(moveByStrides(op, operands, results),
                  [&] { return move(op, operands, results); });
  case Way::Region:
    return either(reduceInPlace(op, operands, results),
                  [&] { return region(op, operands, results); });
  case Way::Product:
    return product(op, operands, results);
  case Way::Convolution:
    return convolution(op, operands, results);
  case Way::Opaque:
    return opaqueFunction(op, operands, results);
  case Way::Elementwise:
    return elementwise(op, operands, results);
  case Way::None:
    break;
  }
  if (results.empty() || op->getName().getDialectNamespace() == "check" ||
      op->getName().getDialectNamespace() == "interpreter")
    return llvm::Error::success();
  return makeError(ErrorCode::Unsupported, "no rule");
}

namespace {
/// One operand of an elementwise operation, or its result.
struct Loaded {
  const Tensor *tensor = nullptr;
  std::vector<Element> own; ///< of a constant
  const Element *elements = nullptr;
  bool elementsRepeat = false, hasValues = true;
};
/// Room for a run of one operand.
struct Room {
  std::vector<double> values;
  std::vector<Element> elements;
};
constexpr int64_t kRun = 1024;
} // namespace

static llvm::Error load(const Value &operand, const Tensor &result,
                        bool readsValues, const Algebra &algebra, Loaded &l) {
  l.tensor = &operand.tensor();
  l.hasValues = readsValues;
  bool one = l.tensor->size() == 1, shadowed = operand.shadow().valid();
  if (!one && l.tensor->shape() != result.shape())
    return makeError(ErrorCode::Unsupported, "operands of several shapes");
  if (shadowed) {
    l.elements = viewOf(operand.shadow()).data();
    l.elementsRepeat = one;
  } else if (hasElements(operand)) {
    for (double x : valuesOf(*l.tensor))
      l.own.push_back(algebra.constant(x));
    l.elements = l.own.data();
    l.elementsRepeat = one || l.tensor->isSplat();
  }
  return llvm::Error::success();
}

/// `count` elements of an operand from `at` on. Repeated elements are written
/// into the room once, for the first run, which is the longest.
static Numbers numbersAt(const Loaded &l, int64_t at, int64_t count,
                         Room &room) {
  ElementType type = l.tensor->elementType();
  int64_t parts = partsOf(type);
  Numbers numbers{type, nullptr, l.elements};
  if (l.hasValues) {
    bool one = l.tensor->isSplat() || l.tensor->size() == 1;
    if (!one || room.values.empty()) {
      room.values.resize(static_cast<size_t>(count * parts));
      numerics::convertArray(
          type, l.tensor->bytes() + (one ? 0 : at * type.storageBytes()),
          wideType(type), room.values.data(), one ? 1 : count);
      for (size_t i = parts; one && i < room.values.size(); ++i)
        room.values[i] = room.values[i - parts];
    }
    numbers.values = room.values.data();
  }
  if (l.elements && !l.elementsRepeat) {
    numbers.elements += at * parts;
  } else if (l.elements) {
    if (room.elements.empty())
      for (int64_t i = 0; i < count * parts; ++i)
        room.elements.push_back(l.elements[i % parts]);
    numbers.elements = room.elements.data();
  }
  return numbers;
}

llvm::Error AlgebraShadow::elementwise(mlir::Operation *op, Values operands,
                                       Values results) {
  Loaded made{&results[0].tensor(), {}, nullptr};
  int64_t parts = partsOf(made.tensor->elementType()),
          total = made.tensor->size();
  bool readsValues = Algebra::readsValues(op);
  std::vector<Loaded> loaded(operands.size());
  for (auto [operand, l] : llvm::zip(operands, loaded))
    if (llvm::Error error =
            load(operand, *made.tensor, readsValues, algebra_, l))
      return error;
  llvm::Expected<Tensor> shadow = emptyShadow(total * parts);
  if (!shadow)
    return shadow.takeError();
  auto *out = reinterpret_cast<Element *>(shadow->mutableBytes());
  std::atomic<bool> good = true;
  run_.threads.parallelFor(total, kRun, [&](int64_t begin, int64_t end) {
    std::vector<Room> rooms(loaded.size());
    Room own;
    for (int64_t at = begin; at < end; at += kRun) {
      int64_t count = std::min(kRun, end - at);
      llvm::SmallVector<Numbers, 3> in;
      for (auto [l, room] : llvm::zip(loaded, rooms))
        in.push_back(numbersAt(l, at, count, room));
      if (!algebra_.apply(op, in, numbersAt(made, at, count, own), count,
                          out + at * parts))
        good = false;
    }
  });
  if (!good)
    return makeError(ErrorCode::Unsupported, "no rule");
  results[0].setShadow(std::move(*shadow));
  return llvm::Error::success();
}

static program::StepSpec specOf(mlir::Operation *op,
                                llvm::ArrayRef<Value> operands,
                                llvm::ArrayRef<Value> results,
                                const program::NumericOptions &numeric,
                                bool onIds) {
  auto typeOf = [&](const Value &value) {
    if (!value.isTensor())
      return TensorType();
    TensorType type = value.tensor().type();
    if (onIds && hasElements(value))
      type.element = ElementType::unsignedInteger(64);
    return type;
  };
  program::StepSpec spec{op, {}, {}, numeric};
  for (const Value &value : operands)
    spec.operands.push_back(typeOf(value));
  for (const Value &value : results)
    spec.results.push_back(typeOf(value));
  return spec;
}

const program::Step *AlgebraShadow::stepFor(mlir::Operation *op,
                                            Values operands, Values results,
                                            bool onIds) {
  std::unique_ptr<program::Step> &step = steps_[op];
  if (step)
    return step.get();
  // The region computes every partial result: no fast sums.
  static const program::NumericOptions perStep{true, {}};
  program::StepSpec spec = specOf(op, operands, results, perStep, onIds);
  auto compiled = reference::ReferenceCompiler().compile(spec);
  if (!compiled) {
    llvm::consumeError(compiled.takeError());
    return nullptr;
  }
  step = std::move(*compiled);
  return step.get();
}

/// The operands of a move, whose elements are their numbers in a table;
/// appends the elements to the table.
llvm::Expected<std::vector<Value>>
AlgebraShadow::numbered(Values operands, std::vector<Element> &table) const {
  std::vector<Value> ids;
  for (const Value &operand : operands) {
    if (!hasElements(operand)) {
      ids.push_back(operand);
      continue;
    }
    const Tensor &tensor = operand.tensor();
    int64_t parts = partsOf(tensor.elementType());
    auto base = static_cast<uint64_t>(table.size()) / parts;
    TensorType idType{ElementType::unsignedInteger(64), tensor.type().shape};
    if (!operand.shadow().valid() && tensor.isSplat()) {
      for (double x : valuesOf(tensor))
        table.push_back(algebra_.constant(x));
      ids.push_back(Value(Tensor::splat(idType, &base)));
      continue;
    }
    llvm::Expected<std::vector<Element>> elements = elementsOf(operand);
    if (!elements)
      return elements.takeError();
    table.insert(table.end(), elements->begin(), elements->end());
    llvm::Expected<Tensor> numbers = Tensor::allocate(idType, run_.budget);
    if (!numbers)
      return numbers.takeError();
    auto *out = numbers->mutableData<uint64_t>();
    std::iota(out, out + tensor.size(), base);
    ids.push_back(Value(std::move(*numbers)));
  }
  return ids;
}

/// The result of a step on the numbers of elements: numbers, dense.
static llvm::Expected<Tensor> moveNumbers(const program::Step &step,
                                          llvm::MutableArrayRef<Value> ids,
                                          const Tensor &result,
                                          mlir::Operation *op,
                                          program::RunContext &run) {
  llvm::SmallVector<Value, 1> made(1);
  program::StepContext context(run, op);
  for (Value &value : ids) {
    context.operands.push_back(&value);
    context.dying.push_back(false);
  }
  context.results = made;
  if (!step.ownsResults()) {
    llvm::Expected<Tensor> out = Tensor::allocate(
        {ElementType::unsignedInteger(64), result.type().shape}, run.budget);
    if (!out)
      return out.takeError();
    made[0] = Value(std::move(*out));
  }
  if (llvm::Error error = step.run(context))
    return error;
  return made[0].tensor().dense();
}

llvm::Error AlgebraShadow::move(mlir::Operation *op, Values operands,
                                Values results) {
  std::vector<Element> table;
  llvm::Expected<std::vector<Value>> ids = numbered(operands, table);
  if (!ids)
    return ids.takeError();
  auto type =
      mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    steps_.erase(op);
  const program::Step *step = stepFor(op, operands, results, true);
  if (!step)
    return makeError(ErrorCode::Unsupported, "no step for it");
  llvm::Expected<Tensor> numbers =
      moveNumbers(*step, *ids, results[0].tensor(), op, run_);
  if (!numbers)
    return numbers.takeError();
  int64_t parts = partsOf(results[0].tensor().elementType());
  std::vector<Element> out;
  out.reserve(static_cast<size_t>(numbers->size() * parts));
  for (int64_t i = 0; i < numbers->size(); ++i)
    for (int64_t p = 0; p < parts; ++p)
      out.push_back(table[numbers->data<uint64_t>()[i] * parts + p]);
  return set(results[0], std::move(out));
}

llvm::Error AlgebraShadow::opaqueFunction(mlir::Operation *op, Values operands,
                                          Values results) {
  std::string text = op->getName().getStringRef().str();
  llvm::raw_string_ostream os(text);
  for (mlir::NamedAttribute attribute : op->getAttrs())
    if (!llvm::is_contained({"operand_layouts", "result_layouts",
                             "mhlo.sharding", "api_version", "has_side_effect"},
                            attribute.getName().strref()))
      os << " " << attribute.getName() << "=" << attribute.getValue();
  opaque_.insert(op->getName().getStringRef());
  Element whole;
  for (int level = 0; level < algebra_.levels(); ++level)
    whole.x[level] = Algebra::keyOf(text) % kPrimes[level];
  uint64_t key = Algebra::keyOf("whole");
  for (const Value &operand : operands) {
    if (!operand.isTensor())
      continue;
    if (!hasElements(operand)) {
      for (double x : valuesOf(operand.tensor()))
        whole = algebra_.function(key, {whole, algebra_.number(x)});
      continue;
    }
    llvm::Expected<std::vector<Element>> elements = elementsOf(operand);
    if (!elements)
      return elements.takeError();
    for (const Element &e : *elements)
      whole = algebra_.function(key, {whole, e});
  }
  for (auto [r, result] : llvm::enumerate(results)) {
    if (!hasElements(result))
      continue;
    std::vector<Element> out(static_cast<size_t>(
        result.tensor().size() * partsOf(result.tensor().elementType())));
    for (size_t i = 0; i < out.size(); ++i) // the other program may expand it
      out[i] = opened(algebra_.function(mixWords(key, r * 0x10001 + i), whole));
    if (llvm::Error error = set(result, std::move(out)))
      return error;
  }
  return llvm::Error::success();
}

void AlgebraShadow::record(mlir::Operation *op, unsigned result,
                           const Value &value) {
  if (!fingerprints_ || !value.isTensor())
    return;
  uint64_t word = mixWords(static_cast<uint64_t>(value.tensor().size()), 5),
           exact = word;
  llvm::Expected<Tensor> dense = value.tensor().dense();
  if (!dense) {
    llvm::consumeError(dense.takeError());
    return;
  }
  if (!hasElements(value)) {
    word = exact =
        mixWords(word, llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
                           reinterpret_cast<const uint8_t *>(dense->bytes()),
                           static_cast<size_t>(dense->denseBytes()))));
  } else {
    llvm::Expected<std::vector<Element>> elements = elementsOf(value);
    if (!elements) {
      llvm::consumeError(elements.takeError());
      return;
    }
    std::vector<double> values = valuesOf(*dense);
    for (auto [e, x] : llvm::zip(*elements, values)) {
      word = mixWords(word, e.x[0] + static_cast<uint64_t>(e.kind));
      exact = mixWords(exact, e.x[0] + static_cast<uint64_t>(e.kind) +
                                  (x == 0 && std::signbit(x) ? 11 : 0));
    }
  }
  made_.push_back({op, result, word, exact});
}

void AlgebraShadow::onStep(const program::StepNode &node,
                           llvm::ArrayRef<Value *>,
                           llvm::ArrayRef<Value> results, int64_t) {
  if (++taken_ == mostSteps_)
    interrupt_->setTimeLimit(0);
  if (fingerprints_ && isFollowed(node.op))
    for (auto [r, result] : llvm::enumerate(results))
      record(node.op, static_cast<unsigned>(r), result);
}
