// See Recognition.h. Parts of a program are found by the names that Assembly
// sets on their operations.
#include "assay/verify/drivers/Recognition.h"
#include "assay/dialect/Stablehlo.h"
#include "assay/program/Types.h"
#include "assay/verify/EltwiseMatch.h"
#include "assay/verify/Recognise.h"
#include "assay/verify/drivers/Sizes.h"

using namespace assay;
using namespace assay::verify;
using drivers::Reading;
using mlir::Operation;
using tensor::TensorType;

Reading::Reading(const BoundProgram &bound) : bound_(bound) {
  llvm::Expected<mlir::func::FuncOp> function =
      bound.program->function(bound.entry.empty() ? "main" : bound.entry);
  if (!function) {
    llvm::consumeError(function.takeError());
    return;
  }
  function_ = *function;
  if (function_.getNumArguments() == bound.inputs.size() &&
      function_.getNumResults() == bound.outputs.size() &&
      function_.getBody().hasOneBlock())
    block_ = &function_.getBody().front();
}

static int indexOf(llvm::ArrayRef<Binding> bindings, llvm::StringRef role) {
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].role == role)
      return static_cast<int>(i);
  return -1;
}

int Reading::input(llvm::StringRef role) const {
  return indexOf(bound_.inputs, role);
}
int Reading::output(llvm::StringRef role) const {
  return indexOf(bound_.outputs, role);
}

static TensorType tensorOf(mlir::Type type) {
  llvm::Expected<TensorType> result = program::tensorTypeOf(type);
  if (result)
    return *result;
  llvm::consumeError(result.takeError());
  return {types::None, {}};
}

static TensorType tensorOf(const Reading &r, mlir::func::FuncOp function,
                           llvm::StringRef role) {
  if (int i = r.input(role); i >= 0)
    return tensorOf(function.getArgumentTypes()[i]);
  if (int i = r.output(role); i >= 0)
    return tensorOf(function.getResultTypes()[i]);
  return {types::None, {}};
}

ElementType Reading::typeOf(llvm::StringRef role) const {
  return tensorOf(*this, function_, role).element;
}

Dims Reading::dimsOf(llvm::StringRef role) const {
  TensorType type = tensorOf(*this, function_, role);
  return Dims(type.shape.begin(), type.shape.end());
}

std::string Reading::tagOf(llvm::StringRef role) const {
  if (int i = input(role); i >= 0)
    return bound_.inputs[i].tag;
  if (int i = output(role); i >= 0)
    return bound_.outputs[i].tag;
  return "any";
}

bool Reading::isArgument(mlir::Value value, llvm::StringRef role) const {
  Operation *op = value.getDefiningOp();
  if (op && op->getName().getStringRef() == "stablehlo.convert")
    value = op->getOperand(0);
  int i = input(role);
  return i >= 0 && value == block_->getArgument(static_cast<unsigned>(i));
}

std::vector<Operation *> Reading::operations(llvm::StringRef name) const {
  std::vector<Operation *> result;
  for (Operation &op : *block_)
    if (op.getName().getStringRef() == ("stablehlo." + name).str())
      result.push_back(&op);
  return result;
}

std::vector<double> Reading::constants() const {
  std::vector<double> result;
  for (Operation *op : operations("constant"))
    if (std::optional<double> value = splatOf(op))
      if (!llvm::is_contained(result, *value))
        result.push_back(*value);
  return result;
}

//===--- Attributes ------------------------------------------------------===//

static std::string binaryName(Operation *op) {
  if (mlir::isa<stablehlo::ConvertOp>(op))
    if (auto compare =
            op->getOperand(0).getDefiningOp<stablehlo::CompareOp>())
      return stablehlo::stringifyComparisonDirection(
                 compare.getComparisonDirection())
          .lower();
  static constexpr std::pair<const char *, const char *> kNames[] = {
      {"add", "add"},    {"subtract", "sub"}, {"multiply", "mul"},
      {"divide", "div"}, {"maximum", "max"},  {"minimum", "min"}};
  for (auto [theirs, ours] : kNames)
    if (op->getName().stripDialect() == theirs)
      return ours;
  return "";
}

/// The shortest decimal number that is this f32.
static double shortest(double value) {
  double result = value;
  llvm::StringRef(drivers::realText(value)).getAsDouble(result);
  return result;
}

std::optional<PostOp> Reading::postOp(size_t index) const {
  std::string part = "post_op_" + std::to_string(index);
  std::vector<Operation *> mine;
  for (Operation &op : *block_)
    if (auto name = mlir::dyn_cast<mlir::NameLoc>(op.getLoc()))
      if (name.getName() == part &&
          op.getName().getStringRef() != "stablehlo.convert")
        mine.push_back(&op);
  for (Operation &op : *block_) // an operation that compares ends in a conversion
    if (auto name = mlir::dyn_cast<mlir::NameLoc>(op.getLoc()))
      if (name.getName() == part && !mine.empty() &&
          mine.back()->isBeforeInBlock(&op))
        mine.push_back(&op);
  if (mine.empty())
    return std::nullopt;
  PostOp result;
  Operation *last = mine.back();
  if (int i = input(part); i >= 0) {
    bool isPrelu = last->getName().stripDialect() == "select";
    result.kind = isPrelu ? PostOp::Kind::Prelu : PostOp::Kind::Binary;
    result.name = isPrelu ? "prelu" : binaryName(last);
    result.type = isPrelu ? types::None : typeOf(part);
    result.mask = bound_.inputs[i].mask;
    result.tag = bound_.inputs[i].tag == "any" ? "" : bound_.inputs[i].tag;
    return result;
  }
  std::vector<double> numbers;
  for (Operation *op : mine)
    if (std::optional<double> value = splatOf(op))
      numbers.push_back(shortest(*value));
  bool isSum = numbers.size() == 2 && mine.size() == 5 &&
               input("before") >= 0 &&
               mine[1]->getName().stripDialect() == "subtract";
  if (isSum) {
    result.kind = PostOp::Kind::Sum, result.name = "sum";
    result.sumZeroPoint = static_cast<int64_t>(numbers[0]);
    result.sumScale = numbers[1];
    return result;
  }
  auto matches = matchEltwise(last->getResult(0), false);
  if (matches.empty())
    return std::nullopt;
  result.name = matches.front().function.name;
  result.alpha = shortest(matches.front().function.alpha);
  result.beta = shortest(matches.front().function.beta);
  return result;
}

/// The arguments whose roles start with it: "scale_src" is the scale of src.
static std::vector<ArgumentValue> valuesOf(const Reading &reading,
                                           llvm::StringRef prefix) {
  std::vector<ArgumentValue> values;
  for (const Binding &binding : reading.bound().inputs) {
    llvm::StringRef argument = binding.role;
    if (!argument.consume_front(prefix))
      continue;
    values.push_back({argument.str(),
                      binding.mask,
                      binding.value,
                      reading.typeOf(binding.role),
                      {}});
  }
  return values;
}

Attributes Reading::attributes() const {
  Attributes result;
  result.scales = valuesOf(*this, "scale_");
  result.zeroPoints = valuesOf(*this, "zp_");
  while (std::optional<PostOp> op = postOp(result.postOps.size()))
    result.postOps.push_back(std::move(*op));
  return result;
}

//===--- Candidates ------------------------------------------------------===//

Problem drivers::candidateOf(const Driver &driver, const Reading &reading) {
  Problem p;
  p.driver = &driver;
  p.name = reading.bound().name;
  p.direction = reading.bound().direction;
  p.attributes = reading.attributes();
  for (const OwnKnob &knob : driver.knobs)
    p.own[knob.name] = knob.byDefault;
  if (p.own.count("inplace"))
    p.own["inplace"] =
        llvm::any_of(reading.bound().outputs,
                     [](const Binding &b) { return !b.inPlaceOf.empty(); })
            ? "true"
            : "false";
  if (p.own.count("dir"))
    p.own["dir"] = passText(reading.bound().direction).str();
  return p;
}

void drivers::takeTensor(Problem &problem, const Reading &reading,
                         llvm::StringRef role, const char *typeKnob,
                         const char *tagKnob) {
  problem.own[typeKnob] = nameOf(reading.typeOf(role));
  problem.own[tagKnob] = reading.tagOf(role);
}

std::optional<Problem> drivers::candidateOfPair(const Driver &driver,
                                                const Reading &r,
                                                llvm::StringRef first,
                                                llvm::StringRef second) {
  if (!r.isValid() || r.input(first) < 0 || r.input(second) < 0)
    return std::nullopt;
  Problem p = candidateOf(driver, r);
  p.shapes = {r.dimsOf(first), r.dimsOf(second)};
  if (p.shapes[0].size() != p.shapes[1].size())
    return std::nullopt;
  takeTensor(p, r, first, "sdt", "stag");
  p.own["sdt"] += std::string(":") + nameOf(r.typeOf(second));
  p.own["stag"] += ":" + r.tagOf(second);
  return p;
}

std::vector<Problem> drivers::withFreeTag(Problem problem,
                                          llvm::StringRef tag) {
  std::vector<Problem> both;
  problem.own["dtag"] = "undef";
  if (tag == "any")
    both.push_back(problem);
  problem.own["dtag"] = tag.str();
  both.push_back(std::move(problem));
  return both;
}

std::optional<double> drivers::constantOf(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == "stablehlo.constant"
             ? splatOf(op)
             : std::nullopt;
}

std::string drivers::stridesTextOf(const Reading &reading,
                                   llvm::StringRef role) {
  int in = reading.input(role), out = reading.output(role);
  const Binding *binding = in >= 0    ? &reading.bound().inputs[in]
                           : out >= 0 ? &reading.bound().outputs[out]
                                      : nullptr;
  return binding && binding->tag == "strided" ? toText(binding->strides) : "";
}

std::string drivers::joined(llvm::StringRef first, llvm::StringRef second) {
  return first == second ? first.str() : (first + ":" + second).str();
}

Dims drivers::integersOf(Operation *op, llvm::StringRef attribute) {
  auto values = op->getAttrOfType<mlir::DenseI64ArrayAttr>(attribute);
  return values ? Dims(values.asArrayRef()) : Dims();
}

std::optional<Problem>
drivers::firstThatBuilds(const Reading &reading, const Driver &driver,
                         llvm::ArrayRef<Problem> candidates) {
  for (const Problem &candidate : candidates) {
    llvm::Expected<BoundProgram> built = driver.build(candidate);
    if (!built)
      llvm::consumeError(built.takeError());
    else if (sameOperations(reading.bound(), *built))
      return candidate;
  }
  return std::nullopt;
}
