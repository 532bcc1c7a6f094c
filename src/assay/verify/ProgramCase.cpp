// Programs that are not a contraction, and all programs whose properties are
// checked, reach engines through here: words and JSON, tensors in the arena.
#include "assay/verify/ProgramCase.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/program/Print.h"
#include "assay/program/Types.h"
#include "assay/reference/Physical.h"
#include "assay/support/Math.h"
#include "assay/verify/BindingValues.h"
#include "assay/verify/GivenInputs.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Options.h"
#include "assay/verify/session/Gaps.h"

#include <cstring>

using namespace assay;
using namespace assay::verify;
using engine::Guard;
using engine::Placement;
using tensor::Shape;
using tensor::Tensor;

/// The word of the grammar where it has one (s8, u8, f8_e4m3), else StableHLO's
/// name.
static std::string typeName(numerics::ElementType type) {
  if (isSupported(type))
    return nameOf(type);
  std::string name = numerics::toString(type);
  if (name == "i16" || name == "i64")
    return "s" + name.substr(1);
  return name.substr(0, 2) == "ui" ? "u" + name.substr(2) : name;
}

/// The only operation of the entry function other than constants, or null.
static mlir::Operation *singleOperation(mlir::func::FuncOp function) {
  mlir::Operation *single = nullptr;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    if (op.getName().getStringRef() == "stablehlo.constant")
      continue;
    if (single)
      return nullptr;
    single = &op;
  }
  return single;
}

/// problem_json of driver op: the program's text, and its only operation with
/// attributes where it has just one.
static std::string programJson(const Problem &problem,
                               const BoundProgram &bound) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bound.program->module()->print(
      os, mlir::OpPrintingFlags().enableDebugInfo(false));
  llvm::json::Object object{{"driver", problem.driver->name},
                            {"program", text},
                            {"entry", bound.entry},
                            {"file", problem.path}};
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  if (mlir::Operation *op = singleOperation(function)) {
    object["op"] = op->getName().getStringRef();
    llvm::json::Object attributes;
    for (mlir::NamedAttribute attribute : op->getAttrs()) {
      std::string value;
      llvm::raw_string_ostream stream(value);
      attribute.getValue().print(stream);
      attributes[attribute.getName().getValue()] = value;
    }
    object["attributes"] = std::move(attributes);
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

void ProgramCase::Item::layOut(Shape given) {
  Shape dense = tensor::rowMajorStrides(type.shape);
  strides = given.empty() ? dense : std::move(given);
  int64_t last = 0;
  bool isEmpty = false;
  isDense = true;
  for (size_t d = 0; d < dense.size(); ++d) {
    int64_t size = type.shape[d];
    isEmpty |= size == 0;
    last += (size - 1) * strides[d];
    isDense &= size <= 1 || strides[d] == dense[d];
  }
  spanBytes = isEmpty ? 0 : numerics::packedBytes(type.element, last + 1);
}

int64_t ProgramCase::Item::elements() const {
  return product(type.shape);
}

double ProgramCase::spannedBytes() const {
  double bytes = 0;
  for (const Item &item : tensors)
    bytes += static_cast<double>(item.spanBytes);
  return bytes;
}

int64_t ProgramCase::resultElements() const {
  int64_t count = 0;
  for (const Item &item : llvm::ArrayRef<Item>(tensors).drop_front(inputs))
    count += item.elements();
  return count;
}

static ProgramCase::Item itemOf(const Binding &binding, mlir::Type type) {
  ProgramCase::Item item;
  item.role = binding.role;
  item.type = llvm::cantFail(program::tensorTypeOf(type));
  item.layOut(Shape(binding.strides.begin(), binding.strides.end()));
  return item;
}

ProgramCase verify::programCase(const Problem &problem,
                                const BoundProgram &bound,
                                const Problem *found) {
  ProgramCase c;
  c.problem = &problem;
  c.bound = &bound;
  mlir::func::FuncOp function =
      llvm::cantFail(bound.program->function(bound.entry));
  for (size_t i = 0; i < bound.inputs.size(); ++i) {
    if (found && bound.inputs[i].values == Binding::Values::Previous) {
      c.previous = static_cast<int>(i);
      continue;
    }
    c.tensors.push_back(
        itemOf(bound.inputs[i], function.getArgumentTypes()[i]));
    c.arguments.push_back(i);
  }
  c.inputs = c.tensors.size();
  for (size_t i = 0; i < bound.outputs.size(); ++i) {
    c.tensors.push_back(itemOf(bound.outputs[i], function.getResultTypes()[i]));
    for (size_t k = 0; k < c.inputs; ++k)
      if (found && bound.outputs[i].inPlaceOf == c.tensors[k].role)
        c.tensors.back().shared = static_cast<int>(k);
  }
  // Groups of products are offered only as a program.
  c.driver = found                               ? found->driver->name
             : problem.requests.count("grouped") ? "op"
                                                 : problem.driver->name;
  c.json = found ? problemJson(*found) : programJson(problem, bound);
  return c;
}

engine::ProblemDescription verify::describeProgram(const ProgramCase &c,
                                                   int threads) {
  engine::ProblemDescription description;
  description.driver = c.driver;
  description.json = c.json;
  description.program = c.bound->program->toBytecode();
  description.entry = c.bound->entry;
  description.threads = threads;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    description.tensors.push_back(
        {item.role, typeName(item.type.element),
         std::vector<int64_t>(item.type.shape.begin(), item.type.shape.end()),
         std::vector<int64_t>(item.strides.begin(), item.strides.end()),
         i >= c.inputs});
  }
  return description;
}

std::vector<Placement> verify::place(const ProgramCase &c, Guard guard,
                                     int alignment) {
  llvm::SmallVector<engine::Extent, 8> extents;
  for (const ProgramCase::Item &item : c.tensors)
    extents.push_back({item.spanBytes, item.type.element.storageBytes()});
  std::vector<Placement> places =
      engine::placeTensors(extents, guard, alignment);
  for (size_t i = 0; i < places.size(); ++i)
    if (c.tensors[i].shared >= 0)
      places[i] = places[static_cast<size_t>(c.tensors[i].shared)];
  return places;
}

void verify::writeData(const ProgramCase &c, llvm::ArrayRef<Placement> places,
                       llvm::ArrayRef<Tensor> inputs, std::byte *arena,
                       engine::Unwritten unwritten, ThreadPool &pool) {
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    if (item.shared >= 0)
      continue;
    engine::fillUnwritten(arena + places[i].fileOffset, places[i].regionBytes,
                          unwritten, isSpoiltAsFloat(item.type.element));
    bool isPrevious = c.previous >= 0 && i >= c.inputs && item.role == "dst";
    if (i >= c.inputs && !isPrevious)
      continue;
    const Tensor &input =
        inputs[isPrevious ? static_cast<size_t>(c.previous) : c.arguments[i]];
    std::byte *to = arena + places[i].fileOffset + places[i].dataOffset;
    if (item.isPlain())
      std::memcpy(to, input.bytes(), static_cast<size_t>(input.denseBytes()));
    else
      reference::storePhysical(item.type, input.bytes(), to, item.strides,
                               &pool);
  }
}

std::vector<judge::ProgramResult>
verify::resultsAt(const ProgramCase &c, llvm::ArrayRef<Placement> places,
                  const std::byte *arena,
                  std::vector<std::vector<std::byte>> &copies,
                  ThreadPool &pool) {
  std::vector<judge::ProgramResult> results;
  copies.resize(c.tensors.size());
  for (size_t i = c.inputs; i < c.tensors.size(); ++i) {
    const ProgramCase::Item &item = c.tensors[i];
    const std::byte *at = arena + places[i].fileOffset + places[i].dataOffset;
    if (!item.isPlain()) {
      int64_t width = item.type.element.storageBytes();
      copies[i].resize(static_cast<size_t>(item.elements() * width));
      reference::loadPhysical(item.type, at, item.strides, copies[i].data(),
                              &pool);
      at = copies[i].data();
    }
    results.push_back({item.role, at});
  }
  return results;
}

llvm::Expected<std::vector<Tensor>>
verify::fillArguments(const ProgramCase &c, FillKind kind, int draw) {
  const RunOptions &run = *c.problem->options;
  llvm::Expected<std::vector<Tensor>> inputs = judge::fillProgram(
      *c.bound->program, c.bound->entry,
      kind == FillKind::Given ? FillKind::Normal : kind, run.seed, draw,
      c.kept);
  if (!inputs)
    return inputs;
  // Values that a binding requires are made from ordinary numbers.
  std::vector<Tensor> special;
  if (kind == FillKind::Special)
    special = *inputs;
  if (judge::asksDefinedOnly(kind) &&
      llvm::any_of(c.bound->inputs, [](const Binding &binding) {
        return binding.values != Binding::Values::Any;
      })) {
    llvm::Expected<std::vector<Tensor>> plain = judge::fillProgram(
        *c.bound->program, c.bound->entry, FillKind::Normal, run.seed);
    if (!plain)
      return plain;
    for (size_t i = 0; i < inputs->size(); ++i)
      if (c.bound->inputs[i].values != Binding::Values::Any)
        (*inputs)[i] = std::move((*plain)[i]);
  }
  std::vector<std::string> roles;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const Binding &binding = c.bound->inputs[i];
    if (llvm::Error error = applyBinding(binding, (*inputs)[i]))
      return error;
    if (!special.empty())
      if (llvm::Error error =
              keepSpecial(binding, special[i], (*inputs)[i]))
        return error;
    // A single scale or zero point is passed to engines in words.
    bool isGivable = binding.values != Binding::Values::Constant;
    if (isGivable)
      roles.push_back(binding.role);
    if (auto found = run.inputs.find(binding.role);
        found != run.inputs.end() && isGivable)
      if (llvm::Error error =
              readGiven(binding.role, found->second, (*inputs)[i].type())
                  .moveInto((*inputs)[i]))
        return error;
  }
  if (llvm::Error error = checkRoles(run.inputs, roles))
    return error;
  return inputs;
}
