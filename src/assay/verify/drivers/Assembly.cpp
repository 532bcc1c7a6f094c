// See Assembly.h. The first part of a problem that no program can express
// becomes the error of finish(); building continues until then, so that drivers
// need no checks.
#include "assay/verify/drivers/Assembly.h"
#include "assay/verify/AccurateEltwise.h"
#include "assay/verify/Lowering.h"
#include "assay/verify/Settings.h"
#include "assay/formulas/Tensors.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using drivers::Assembly;
using mlir::Value;
using program::Builder;
using tensor::TensorType;

Assembly::Assembly(const Problem &problem, ElementType type)
    : problem_(problem), wide_(type == types::F64 ? types::F64 : types::F32) {}

void Assembly::fail(ErrorCode code, const llvm::Twine &what) {
  if (error_.empty())
    code_ = code, error_ = what.str();
}
void Assembly::unsupported(const llvm::Twine &what) {
  fail(ErrorCode::Unsupported, what);
}
void Assembly::invalid(const llvm::Twine &what) {
  fail(ErrorCode::InvalidArgument, what);
}

Binding Assembly::binding(llvm::StringRef role, ElementType type,
                          const Dims &dims, const Layout &layout) {
  if (!isSupported(type))
    unsupported(llvm::Twine("data type ") + nameOf(type));
  double bytes = static_cast<double>(judge::bytesOf(type));
  for (int64_t size : dims)
    bytes *= static_cast<double>(size);
  if (bytes > 1e15)
    fail(ErrorCode::ResourceLimit,
         "tensor '" + role + "' would take " +
             llvm::Twine(static_cast<int64_t>(bytes / 0x1p30)) + " GiB");
  Binding result;
  result.role = role.str();
  result.tag = layout.strides.empty() ? layout.tag : "strided";
  result.strides = layout.strides;
  if (!layout.strides.empty() || layout.tag == "any")
    return result;
  // A format with inner blocks is a request to the engine, which gets the tensor
  // row-major.
  if (isBlockedTag(layout.tag)) {
    if (llvm::Error error =
            blockedTag(layout.tag, static_cast<int>(dims.size()))
                .moveInto(result.tag))
      invalid(takeError(std::move(error)).message);
    return result;
  }
  llvm::Expected<std::optional<Dims>> strides = tagStrides(layout.tag, dims);
  if (!strides)
    invalid(takeError(strides.takeError()).message);
  else if (!*strides)
    unsupported("memory format " + layout.tag);
  else
    result.strides = **strides;
  return result;
}

Value Assembly::argument(llvm::StringRef role, ElementType type,
                         const Dims &dims, const Layout &layout) {
  bound_.inputs.push_back(binding(role, type, dims, layout));
  if (type == types::None || !error_.empty())
    type = types::F32;
  b_.setLocation(role);
  arguments_.push_back(
      b_.argument({type, tensor::Shape(dims.begin(), dims.end())}, role));
  return arguments_.back();
}

Value Assembly::input(llvm::StringRef role, ElementType type, const Dims &dims,
                      const Layout &layout) {
  Value x = b_.convert(argument(role, type, dims, layout), wide_);
  b_.setLocation("op");
  return x;
}

Value Assembly::rounded(Value x, ElementType type) {
  TensorType like = Builder::typeOf(x);
  if (type.isInteger() && like.element.isFloat())
    x = b_.clamp(b_.constant(judge::minValue(type), like),
                 b_.unary("round_nearest_even", x),
                 b_.constant(judge::maxValue(type), like));
  return b_.convert(x, type);
}

void Assembly::result(llvm::StringRef role, Value x, ElementType type,
                      const Dims &dims, const Layout &layout) {
  bound_.outputs.push_back(binding(role, type, dims, layout));
  b_.setLocation("store");
  if (!error_.empty())
    type = types::F32;
  results_.push_back(b_.reshape(rounded(x, type), dims));
  b_.setLocation("op");
}

Value Assembly::attribute(const std::vector<ArgumentValue> &list,
                          llvm::StringRef prefix, llvm::StringRef argument,
                          Value x, llvm::StringRef operation) {
  std::string role = (prefix + argument).str();
  auto entry = llvm::find_if(list, [&](const ArgumentValue &candidate) {
    return argument == candidate.argument;
  });
  if (entry == list.end() || !applied_.insert(role).second)
    return x;
  TensorType type = Builder::typeOf(x);
  Dims dims(type.shape.begin(), type.shape.end());
  int64_t mask = maskBits(entry->mask, problem_, argument);
  Value value = input(role, entry->type, judge::maskedDims(dims, mask));
  Binding &binding = lastInput();
  binding.value = entry->value;
  binding.mask = entry->mask;
  binding.values = entry->mask.isSingle() ? Binding::Values::Constant
                   : prefix == "zp_"      ? Binding::Values::Integers
                                          : Binding::Values::Positive;
  b_.setLocation(role);
  x = b_.binary(operation, x, spread(b_, value, type.shape));
  b_.setLocation("op");
  return x;
}

Value Assembly::scale(llvm::StringRef argument, Value x, bool divides) {
  return attribute(problem_.attributes.scales, "scale_", argument, x,
                   divides ? "divide" : "multiply");
}

Value Assembly::zeroPoint(llvm::StringRef argument, Value x, bool adds) {
  return attribute(problem_.attributes.zeroPoints, "zp_", argument, x,
                   adds ? "add" : "subtract");
}

/// The second operand of a post-op; null where it has none.
Value Assembly::operand(size_t index, const Dims &dims) {
  const PostOp &op = problem_.attributes.postOps[index];
  bool isPrelu = op.kind == PostOp::Kind::Prelu;
  if (!isPrelu && op.kind != PostOp::Kind::Binary)
    return {};
  std::string role = "post_op_" + std::to_string(index);
  Dims mine = judge::maskedDims(dims, maskBits(op.mask, problem_, "po"));
  Value other = input(role, isPrelu ? types::F32 : op.type, mine,
                      {op.tag.empty() ? "any" : op.tag, {}});
  lastInput().mask = op.mask;
  b_.setLocation(role);
  other = spread(b_, other, dims);
  b_.setLocation("op");
  return other;
}

Value Assembly::postOp(size_t index, Value x, Value other) {
  const PostOp &op = problem_.attributes.postOps[index];
  TensorType like = Builder::typeOf(x);
  b_.setLocation("post_op_" + std::to_string(index));
  switch (op.kind) {
  case PostOp::Kind::Eltwise:
    return accurateEltwise(b_, {op.name, op.alpha, op.beta}, x);
  case PostOp::Kind::Sum: {
    Value zero = b_.constant(static_cast<double>(op.sumZeroPoint), like);
    Value before = b_.binary("subtract", other, zero);
    return b_.binary(
        "add", x,
        b_.binary("multiply", b_.constant(op.sumScale, like), before));
  }
  case PostOp::Kind::Prelu:
    return preluForward(b_, x, other);
  case PostOp::Kind::Binary:
    return binaryForward(b_, op.name, x, other);
  default:
    unsupported("post-op " + op.name);
    return x;
  }
}

Value Assembly::postOps(Value x, ElementType type, const Layout &layout) {
  TensorType like = Builder::typeOf(x);
  Dims dims(like.shape.begin(), like.shape.end());
  const std::vector<PostOp> &all = problem_.attributes.postOps;
  llvm::SmallVector<Value> others;
  for (size_t i = 0; i < all.size(); ++i)
    others.push_back(operand(i, dims));
  if (const PostOp *sum = problem_.attributes.sum()) {
    if (sum->type != types::None && sum->type != type)
      unsupported("a sum post-op of another type than dst");
    others[sum - all.data()] = input("before", type, dims, layout);
    lastInput().values = Binding::Values::Previous;
  }
  for (size_t i = 0; i < all.size(); ++i)
    x = postOp(i, x, others[i]);
  b_.setLocation("op");
  return x;
}

void Assembly::finishDst(Value x, ElementType type, const Dims &dims,
                         const Layout &layout) {
  x = scale("src", b_.convert(b_.reshape(x, dims), wide_));
  x = postOps(x, type, layout);
  x = zeroPoint("dst", scale("dst", x, true), true);
  for (const ArgumentValue &entry : problem_.attributes.scales)
    if (!applied_.contains("scale_" + entry.argument))
      unsupported("a scale of " + entry.argument + " of driver " +
                  problem_.driverName());
  for (const ArgumentValue &entry : problem_.attributes.zeroPoints)
    if (!applied_.contains("zp_" + entry.argument))
      unsupported("a zero point of " + entry.argument + " of driver " +
                  problem_.driverName());
  result("dst", x, type, dims, layout);
}

/// --inplace=true: dst reuses the memory of src, diff_src that of diff_dst.
void Assembly::shareMemory() {
  Binding *from = nullptr, *to = nullptr;
  for (Binding &binding : bound_.inputs)
    if (binding.role == "src" || binding.role == "diff_dst")
      from = &binding;
  for (Binding &binding : bound_.outputs)
    if (binding.role == "dst" || binding.role == "diff_src")
      to = &binding;
  if (!from || !to)
    return unsupported("--inplace=true of such a program");
  Value x = arguments_[from - bound_.inputs.data()],
        y = results_[to - bound_.outputs.data()];
  if (x.getType() != y.getType())
    return invalid("--inplace=true: " + to->role + " has another type or " +
                   "other sizes than " + from->role);
  if (to->tag == "any")
    to->strides = from->strides;
  else if (from->tag == "any")
    from->strides = to->strides;
  else if (to->strides != from->strides)
    return invalid("--inplace=true: " + to->role + " has another layout than " +
                   from->role);
  if (problem_.attributes.sum())
    return invalid("--inplace=true beside a sum post-op");
  to->inPlaceOf = from->role;
}

llvm::Expected<BoundProgram> Assembly::finish(Direction direction) {
  if (error_.empty() && problem_.knob("inplace") == "true")
    shareMemory();
  if (!error_.empty())
    return makeError(code_, "{0}", error_);
  bound_.direction = direction;
  bound_.name = problem_.name;
  if (llvm::Error error =
          b_.finish(results_, "problem").moveInto(bound_.program))
    return error;
  return std::move(bound_);
}
