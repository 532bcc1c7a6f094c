// Builds the program of a case. Convolutions with lhs dilation are backward
// data, with batch groups backward weights, as JAX writes them.
#include "assay/verify/ContractionProgram.h"
#include "assay/program/Builder.h"
#include "assay/formulas/Windows.h"
#include "assay/verify/AccurateEltwise.h"
#include "assay/verify/Lowering.h"
#include "assay/formulas/Tensors.h"

using namespace assay;
using namespace assay::formulas;
using namespace assay::verify;
using judge::Case;
using judge::Contraction;
using mlir::Value;
using program::Builder;
using program::TensorType;

namespace {
class Writer {
public:
  Writer(const Problem &problem, const Case &c)
      : p_(problem), c_(c),
        wide_(c.slots[c.a].type == types::F64 ? types::F64 : types::F32) {}
  llvm::Expected<BoundProgram> write();

private:
  TensorType like(Value x, ElementType type) {
    return {type, Builder::typeOf(x).shape};
  }
  Value splat(double value, Value x) {
    return b_.constant(value, Builder::typeOf(x));
  }
  Value alongOutput(int slot);
  Value overBlocks(int slot, Value like);
  Value factor(int slot, int which, bool integers);
  Value product();
  Value dot(Value a, Value b);
  Value convolution(Value a, Value b);
  Value backwardWeights(Value a, Value b);
  Value arrangeWeights(Value b, bool backward);
  bool isStored(Value sums) const;
  Value postOp(size_t index, Value x);
  Value epilogue(Value x);
  Value biasGradient();
  void addArguments(BoundProgram &bound);
  Binding bindingOf(int slot) const;

  const Problem &p_;
  const Case &c_;
  ElementType wide_;
  Builder b_;
  std::vector<Value> arguments_; ///< per slot
  Value before_;
};
} // namespace

static Dims identity(size_t rank) {
  Dims dims;
  for (size_t d = 0; d < rank; ++d)
    dims.push_back(static_cast<int64_t>(d));
  return dims;
}

static Dims shapeOf(Value x) {
  const auto shape = Builder::typeOf(x).shape;
  return Dims(shape.begin(), shape.end());
}

/// The tensor of a slot over the output: dimensions of size 1 repeated, or one
/// dimension along the output's channels.
Value Writer::alongOutput(int slot) {
  const Dims &out = c_.slots[c_.out].dims;
  Value x = b_.convert(arguments_[slot], wide_);
  Dims own = shapeOf(x);
  if (own.size() == out.size() && slot != c_.scaleSlots[1])
    return own == out ? x : b_.broadcast(x, out, identity(out.size()));
  int64_t count = c_.slots[slot].elements();
  if (count == 1)
    return b_.broadcast(b_.reshape(x, {}), out, {});
  return b_.broadcast(b_.reshape(x, {count}), out, {c_.channel});
}

/// The tensor of a slot with one value for each block of `like`, repeated over
/// the blocks and in its type.
Value Writer::overBlocks(int slot, Value like) {
  Value x = b_.convert(arguments_[slot], Builder::typeOf(like).element);
  Dims own = shapeOf(x), dims = shapeOf(like), cut, at;
  for (size_t d = 0; d < dims.size(); ++d) {
    at.push_back(static_cast<int64_t>(cut.size()));
    bool hasBlocks = own[d] != 1 && own[d] != dims[d];
    cut.push_back(hasBlocks ? own[d] : dims[d]);
    if (hasBlocks)
      cut.push_back(dims[d] / own[d]);
  }
  if (own != cut)
    x = b_.broadcast(x, cut, at);
  return cut == dims ? x : b_.reshape(x, dims);
}

Value Writer::factor(int slot, int which, bool integers) {
  Value x = b_.convert(arguments_[slot], integers ? types::S32 : wide_);
  if (int zero = c_.zeroPointSlots[which]; zero >= 0)
    x = b_.binary("subtract", x, overBlocks(zero, x));
  if (which < 2 && c_.blockScaleSlots[which] >= 0)
    x = b_.binary("multiply", x, overBlocks(c_.blockScaleSlots[which], x));
  return x;
}

Value Writer::dot(Value a, Value b) {
  const Contraction &k = c_.contraction;
  const Dims &out = c_.slots[c_.out].dims;
  if (!c_.matrixRanges) { // matrices [rows, columns] of the flattened tensors
    auto flat = [&](Value x, int slot) {
      const judge::Slot &s = c_.slots[slot];
      return b_.reshape(x, {s.dims[0], s.elements() / s.dims[0]});
    };
    a = flat(a, c_.a), b = flat(b, c_.b);
    // A stride of 1 shows the dimension of a matrix that is summed over, except
    // for a single column, where both strides are 1.
    auto summed = [&](Value x, int64_t stride) -> int64_t {
      Dims dims = shapeOf(x);
      return dims[1] == 1 ? k.k == 1 && dims[0] != 1 : stride == 1;
    };
    int64_t left = summed(a, k.aK), right = summed(b, k.bK);
    return b_.reshape(b_.dot(a, b, {}, {}, {left}, {right}), out);
  }
  size_t rank = out.size();
  Dims left = out, right = out, batch = identity(rank - 2);
  left[rank - 1] = k.k, right[rank - 2] = k.k;
  auto widen = [&](Value x, const Dims &dims) {
    return shapeOf(x) == dims ? x : b_.broadcast(x, dims, identity(rank));
  };
  auto last = static_cast<int64_t>(rank) - 1;
  return b_.dot(widen(a, left), widen(b, right), batch, batch, {last},
                {last - 1});
}

static Dims joined(std::initializer_list<int64_t> front, const Dims &tail) {
  Dims all(front);
  all.append(tail);
  return all;
}

/// The last `count` of depth, height and width.
static llvm::ArrayRef<geometry::Axis> axesOf(const Contraction &k,
                                             size_t count) {
  return llvm::ArrayRef(k.axes).take_back(count);
}

static Dims tapsOf(llvm::ArrayRef<geometry::Axis> axes) {
  Dims taps;
  for (const geometry::Axis &axis : axes)
    taps.push_back(axis.kernel);
  return taps;
}

/// [g, first, second, taps] -> [groups * out features, in features, taps] of
/// the convolution that computes the problem.
Value Writer::arrangeWeights(Value b, bool backward) {
  const Contraction &k = c_.contraction;
  size_t spatial = c_.slots[c_.a].dims.size() - 2;
  Dims taps = tapsOf(axesOf(k, spatial));
  bool transposed = k.weiOut < k.weiIn;
  int64_t first = transposed ? k.inPerGroup : k.outPerGroup,
          second = transposed ? k.outPerGroup : k.inPerGroup;
  b = b_.reshape(b, joined({k.groups, first, second}, taps));
  if (transposed != backward) { // the output's features first
    Dims order{0, 2, 1};
    for (size_t d = 0; d < spatial; ++d)
      order.push_back(static_cast<int64_t>(d) + 3);
    b = b_.transpose(b, order);
  }
  int64_t o = backward ? k.inPerGroup : k.outPerGroup,
          i = backward ? k.outPerGroup : k.inPerGroup;
  b = b_.reshape(b, joined({k.groups * o, i}, taps));
  if (!backward)
    return b;
  Dims axes;
  for (size_t d = 0; d < spatial; ++d)
    axes.push_back(static_cast<int64_t>(d) + 2);
  return b_.reverse(b, axes);
}

Value Writer::convolution(Value a, Value b) {
  const Contraction &k = c_.contraction;
  if (k.form == Contraction::Form::BackwardWeights)
    return backwardWeights(a, b);
  size_t spatial = c_.slots[c_.a].dims.size() - 2;
  bool backward = k.form == Contraction::Form::BackwardData;
  b = arrangeWeights(b, backward);
  llvm::SmallVector<geometry::Axis, 3> axes;
  for (const geometry::Axis &axis : axesOf(k, spatial)) {
    axes.push_back(backward ? axis.transposed() : axis);
    axes.back().reversed = false; // the weights are in that order
  }
  program::Convolution o;
  setWindows(o, axes);
  o.featureGroups = k.groups;
  return b_.convolution(a, b, o);
}

Value Writer::backwardWeights(Value a, Value b) {
  const Contraction &k = c_.contraction;
  size_t spatial = c_.slots[c_.a].dims.size() - 2;
  bool transposed = k.weiOut < k.weiIn;
  Dims taps = tapsOf(axesOf(k, spatial));
  llvm::SmallVector<geometry::Axis, 3> axes;
  for (const geometry::Axis &axis : axesOf(k, spatial))
    axes.push_back(axis.exchanged());
  program::Convolution o;
  setWindows(o, axes);
  o.inputBatch = 1, o.inputFeature = 0;
  o.kernelInputFeature = 0, o.kernelOutputFeature = 1;
  o.batchGroups = k.groups;
  // The weights are [groups * out, in, taps], or [groups, in, out, taps], which
  // no convolution of several groups can write.
  if (!transposed)
    o.outputBatch = 1, o.outputFeature = 0;
  Value sums = b_.convolution(a, b, o);
  if (transposed && k.groups > 1) {
    sums =
        b_.reshape(sums, joined({k.inPerGroup, k.groups, k.outPerGroup}, taps));
    Dims order{1, 0, 2};
    for (size_t d = 0; d < spatial; ++d)
      order.push_back(static_cast<int64_t>(d) + 3);
    sums = b_.transpose(sums, order);
  }
  return b_.reshape(sums, c_.slots[c_.out].dims);
}

Value Writer::product() {
  bool integers = c_.hasIntegerSums();
  b_.setLocation("factor_a");
  Value a = factor(c_.a, 0, integers);
  b_.setLocation("factor_b");
  Value b = factor(c_.b, 1, integers);
  b_.setLocation("product");
  bool isMatrix = c_.contraction.form == Contraction::Form::Matmul;
  return isMatrix ? dot(a, b) : convolution(a, b);
}

/// Whether sums are stored directly: no operation follows them, and their type
/// is the destination's.
bool Writer::isStored(Value sums) const {
  return c_.attributes.postOps.empty() && c_.bias < 0 &&
         llvm::all_of(
             c_.scaleSlots, [](int slot) { return slot < 0; }) &&
         c_.zeroPointSlots[2] < 0 &&
         Builder::typeOf(sums).element == c_.slots[c_.out].type;
}

Value Writer::postOp(size_t index, Value x) {
  const PostOp &op = c_.attributes.postOps[index];
  if (op.kind == PostOp::Kind::Eltwise)
    return accurateEltwise(b_, {op.name, op.alpha, op.beta}, x);
  if (op.kind == PostOp::Kind::Sum) {
    Value before = b_.convert(before_, wide_);
    before = b_.binary("subtract", before,
                       splat(static_cast<double>(op.sumZeroPoint), before));
    return b_.binary("add", x,
                     b_.binary("multiply", splat(op.sumScale, before), before));
  }
  Value other = alongOutput(c_.postOpSlots[index]);
  return op.kind == PostOp::Kind::Prelu ? preluForward(b_, x, other)
                                        : binaryForward(b_, op.name, x, other);
}

Value Writer::epilogue(Value x) {
  if (isStored(x))
    return x;
  x = b_.convert(x, wide_);
  static constexpr const char *kScales[] = {"scale_src", "scale_wei"};
  for (int which : {0, 1}) {
    b_.setLocation(kScales[which]);
    if (c_.scaleSlots[which] >= 0)
      x = b_.binary("multiply", x, alongOutput(c_.scaleSlots[which]));
  }
  b_.setLocation("bia");
  if (c_.bias >= 0)
    x = b_.binary("add", x, alongOutput(c_.bias));
  for (size_t i = 0; i < c_.attributes.postOps.size(); ++i) {
    b_.setLocation("post_op_" + std::to_string(i));
    x = postOp(i, x);
  }
  b_.setLocation("scale_dst");
  if (c_.scaleSlots[2] >= 0)
    x = b_.binary("divide", x, alongOutput(c_.scaleSlots[2]));
  b_.setLocation("zp_dst");
  if (c_.zeroPointSlots[2] >= 0)
    x = b_.binary("add", x, alongOutput(c_.zeroPointSlots[2]));
  b_.setLocation("store");
  ElementType type = c_.slots[c_.out].type;
  if (type.isInteger()) {
    x = b_.unary("round_nearest_even", x);
    x = b_.clamp(splat(judge::minValue(type), x), x,
                 splat(judge::maxValue(type), x));
  }
  return b_.convert(x, type);
}

Value Writer::biasGradient() {
  b_.setLocation("diff_bia");
  int gradient = c_.slots[c_.a].role == "diff_dst" ? c_.a : c_.b;
  Value x = b_.convert(arguments_[gradient], wide_);
  Dims others;
  for (size_t d = 0; d < c_.slots[gradient].dims.size(); ++d)
    if (d != 1)
      others.push_back(static_cast<int64_t>(d));
  return b_.convert(b_.reduce("add", x, others), c_.slots[c_.diffBias].type);
}

/// 0, 1, 2 for src, wei, dst and their gradients; -1 for other tensors.
static int mainRole(llvm::StringRef role) {
  role.consume_front("diff_");
  return role == "src" ? 0 : role == "wei" ? 1 : role == "dst" ? 2 : -1;
}

Binding Writer::bindingOf(int slot) const {
  const judge::Slot &s = c_.slots[slot];
  Binding binding;
  binding.role = s.role;
  binding.strides = s.strides;
  if (int role = mainRole(s.role); role >= 0)
    binding.tag = p_.strides[role].empty() ? p_.tags[role] : "strided";
  static constexpr const char *kArguments[] = {"src", "wei", "dst"};
  auto takeMask = [&](const ArgumentValue &entry, Binding::Values otherwise) {
    binding.mask = entry.mask;
    binding.groups = entry.groups;
    binding.value = entry.value;
    binding.values =
        entry.mask.isSingle() ? Binding::Values::Constant : otherwise;
  };
  for (int i = 0; i < 3; ++i) {
    if (slot == c_.scaleSlots[i])
      takeMask(*c_.attributes.scale(kArguments[i]), Binding::Values::Positive);
    if (slot == c_.zeroPointSlots[i])
      takeMask(*c_.attributes.zeroPoint(kArguments[i]),
               Binding::Values::Integers);
    if (i < 2 && slot == c_.blockScaleSlots[i])
      takeMask(*c_.attributes.blockScale(kArguments[i]),
               Binding::Values::Positive);
  }
  for (size_t i = 0; i < c_.postOpSlots.size(); ++i)
    if (slot == c_.postOpSlots[i]) {
      binding.mask = c_.attributes.postOps[i].mask;
      binding.tag = c_.attributes.postOps[i].tag;
    }
  if (slot == c_.bias) {
    binding.mask.form = Mask::Form::Bits;
    binding.mask.bits = p_.biasMask;
  }
  return binding;
}

void Writer::addArguments(BoundProgram &bound) {
  arguments_.resize(c_.slots.size());
  for (size_t i = 0; i < c_.slots.size(); ++i) {
    const judge::Slot &s = c_.slots[i];
    if (s.isOutput)
      continue;
    arguments_[i] = b_.argument(
        {s.type, tensor::Shape(s.dims.begin(), s.dims.end())}, s.role);
    bound.inputs.push_back(bindingOf(static_cast<int>(i)));
  }
  if (c_.sumInput < 0)
    return;
  const judge::Slot &s = c_.slots[c_.out];
  ElementType readAs = c_.attributes.sum()->type;
  before_ = b_.argument({readAs == types::None ? s.type : readAs,
                         tensor::Shape(s.dims.begin(), s.dims.end())},
                        "before");
  Binding binding;
  binding.role = "before";
  binding.values = Binding::Values::Previous;
  binding.strides = s.strides;
  binding.readAs = c_.attributes.sum()->type;
  bound.inputs.push_back(std::move(binding));
}

llvm::Expected<BoundProgram> Writer::write() {
  BoundProgram bound;
  bound.direction = p_.direction;
  bound.algorithm = p_.algorithm;
  bound.name = p_.name;
  addArguments(bound);
  llvm::SmallVector<Value> results{epilogue(product())};
  bound.outputs.push_back(bindingOf(c_.out));
  if (c_.diffBias >= 0) {
    results.push_back(biasGradient());
    bound.outputs.push_back(bindingOf(c_.diffBias));
  }
  if (llvm::Error error = b_.finish(results, "problem").moveInto(bound.program))
    return error;
  return bound;
}

llvm::Expected<BoundProgram> verify::contractionProgram(const Problem &problem,
                                                        const Case &c) {
  return Writer(problem, c).write();
}
