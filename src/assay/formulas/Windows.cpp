// Pooling and local response normalisation. A mean's gradient is a window over
// the gradient of dst with the strides as base dilation; a maximum's gradient
// is a select_and_scatter, or, since that has no dilation, a list of the taps:
// the index of the first maximum is kept, and each tap's share is padded back.
#include "assay/formulas/Windows.h"
#include "assay/formulas/Folds.h"

#include <cmath>

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using geometry::Axis;
using program::Builder;
using program::Dims;
using program::DimsRef;
using program::Window;
using tensor::TensorType;

static constexpr int64_t kMostTaps = 64;

//===--- Windows ---------------------------------------------------------===//

void formulas::setWindows(program::Convolution &options,
                          llvm::ArrayRef<Axis> axes) {
  bool reversed = llvm::any_of(
      axes, [](const Axis &axis) { return axis.reversed; });
  for (const Axis &axis : axes) {
    options.strides.push_back(axis.stride);
    options.lhsDilation.push_back(axis.baseDilation);
    options.rhsDilation.push_back(axis.dilation);
    options.padding.emplace_back(axis.low, axis.high());
    if (reversed)
      options.reversal.push_back(axis.reversed);
  }
}

Window formulas::reduceWindowOf(llvm::ArrayRef<Axis> axes) {
  Window window;
  for (const Axis &axis : axes) {
    window.size.push_back(axis.kernel);
    window.strides.push_back(axis.stride);
    window.baseDilation.push_back(axis.baseDilation);
    window.windowDilation.push_back(axis.dilation);
    window.padding.emplace_back(axis.low, axis.high());
  }
  return window;
}

Value formulas::foldWindows(Builder &b, llvm::StringRef name, Value x,
                            llvm::ArrayRef<Axis> axes) {
  llvm::SmallVector<Axis, 5> all(Builder::typeOf(x).shape.size() - axes.size());
  all.append(axes.begin(), axes.end());
  return b.reduceWindow(name, x, reduceWindowOf(all));
}

//===--- Pooling ---------------------------------------------------------===//

/// How many taps of each output are inside, as a tensor of dst's shape.
static Value tapsInside(Builder &b, const PoolWindow &w,
                        const TensorType &dst) {
  tensor::Shape output = w.sizes(&Axis::out);
  Value counts = b.constant(1, {dst.element, output});
  for (size_t d = 0; d < w.axes.size(); ++d) {
    tensor::Tensor inside = llvm::cantFail(tensor::Tensor::allocate(
        {numerics::ElementType::integer(64), {output[d]}}));
    auto *count = inside.mutableData<int64_t>();
    for (int64_t o = 0; o < output[d]; ++o)
      count[o] = w.axes[d].tapsInside(o);
    Value along = b.broadcast(b.convert(b.constant(inside), dst.element),
                              output, {static_cast<int64_t>(d)});
    counts = b.binary("multiply", counts, along);
  }
  Dims where;
  for (size_t d = 0; d < w.axes.size(); ++d)
    where.push_back(static_cast<int64_t>(d) + 2);
  return b.broadcast(counts, dst.shape, where);
}

bool formulas::hasEmptyWindow(const PoolWindow &w) {
  for (const Axis &axis : w.axes)
    for (int64_t o = 0; o < axis.out; ++o)
      if (axis.tapsInside(o) == 0)
        return true;
  return false;
}

Value formulas::withEmptyMaximum(Builder &b, const PoolWindow &w, Value maxima,
                               double value) {
  TensorType type = Builder::typeOf(maxima),
             counts{numerics::ElementType::floating(numerics::FloatFormat::F32), type.shape};
  Value isEmpty =
      b.compare("EQ", tapsInside(b, w, counts), b.constant(0, counts));
  return b.select(isEmpty, b.constant(value, type), maxima);
}

/// x, of dst's shape, divided by the divisor of each output's mean.
static Value divided(Builder &b, const PoolWindow &w, Value x) {
  if (w.rule == PoolRule::MeanOfAll)
    return dividedBy(b, x, static_cast<double>(w.taps()));
  return dividedBy(b, x, tapsInside(b, w, Builder::typeOf(x)));
}

Value formulas::poolForward(Builder &b, const PoolWindow &w, Value src) {
  if (w.rule == PoolRule::Max)
    return foldWindows(b, "maximum", src, w.axes);
  return divided(b, w, foldWindows(b, "add", src, w.axes));
}

static Value meanBackward(Builder &b, const PoolWindow &w, Value diffDst) {
  llvm::SmallVector<Axis, 3> back;
  for (const Axis &axis : w.axes)
    back.push_back(axis.transposed());
  return foldWindows(b, "add", divided(b, w, diffDst), back);
}

static bool needsTaps(const PoolWindow &w) {
  return llvm::any_of(w.axes, [](const Axis &axis) {
    return axis.dilation != 1 || axis.high() < 0;
  });
}

std::string formulas::poolBackwardRefusal(const PoolWindow &w) {
  if (w.rule == PoolRule::Max && needsTaps(w) && w.taps() > kMostTaps)
    return "the gradient of a dilated maximum over more than " +
           std::to_string(kMostTaps) + " taps";
  return "";
}

namespace {
/// The gradient of a maximum, tap by tap.
class TapGradient {
public:
  TapGradient(Builder &b, const PoolWindow &w) : b_(b), w_(w) {}

  Value gradient(Value src, Value diffDst) {
    TensorType type = Builder::typeOf(src);
    TensorType scalar{type.element, {}};
    Dims low{0, 0}, high{0, 0}, none(type.shape.size(), 0);
    for (const Axis &axis : w_.axes) {
      low.push_back(axis.low);
      high.push_back(axis.high());
    }
    Value padded = b_.pad(src, b_.constant(-INFINITY, scalar), low, high, none);
    padded_ = Dims(Builder::typeOf(padded).shape);
    Value index = firstMaximum(padded, Builder::typeOf(diffDst));
    Value zero = b_.constant(0, Builder::typeOf(diffDst)), sum;
    for (int64_t tap = 0; tap < w_.taps(); ++tap) {
      Value mine = b_.compare("EQ", index, number(tap, index));
      Value part = spreadBack(b_.select(mine, diffDst, zero), tap);
      sum = sum ? b_.binary("add", sum, part) : part;
    }
    for (size_t d = 0; d < low.size(); ++d)
      low[d] = -low[d], high[d] = -high[d];
    return b_.pad(sum, b_.constant(0, scalar), low, high, none);
  }

private:
  Value number(int64_t value, Value like) {
    return b_.integerConstant(value, Builder::typeOf(like));
  }
  /// Where a tap starts in the padded tensor.
  Dims startOf(int64_t tap) const {
    Dims start(2 + w_.axes.size(), 0);
    llvm::MutableArrayRef<int64_t> at =
        llvm::MutableArrayRef<int64_t>(start).drop_front(2);
    w_.unflatten(tap, &Axis::kernel, at);
    for (size_t d = 0; d < at.size(); ++d)
      at[d] *= w_.axes[d].dilation;
    return start;
  }
  Value elementsOf(Value padded, int64_t tap) {
    Dims start = startOf(tap), limit = padded_, strides(limit.size(), 1);
    for (size_t d = 2; d < limit.size(); ++d) {
      const Axis &axis = w_.axes[d - 2];
      limit[d] = start[d] + (axis.out - 1) * axis.stride + 1;
      strides[d] = axis.stride;
    }
    return b_.slice(padded, start, limit, strides);
  }
  Value firstMaximum(Value padded, const TensorType &dst) {
    Value best = elementsOf(padded, 0);
    Value index =
        b_.integerConstant(0, {numerics::ElementType::integer(32), dst.shape});
    for (int64_t tap = 1; tap < w_.taps(); ++tap) {
      Value here = elementsOf(padded, tap);
      Value more = b_.compare("GT", here, best);
      best = b_.select(more, here, best);
      index = b_.select(more, number(tap, index), index);
    }
    return index;
  }
  Value spreadBack(Value part, int64_t tap) {
    Dims low = startOf(tap), high = padded_, interior(low.size(), 0);
    for (size_t d = 0; d < low.size(); ++d) {
      int64_t stride = d < 2 ? 1 : w_.axes[d - 2].stride;
      interior[d] = stride - 1;
      high[d] -= low[d] + (Builder::typeOf(part).shape[d] - 1) * stride + 1;
    }
    TensorType scalar{Builder::typeOf(part).element, {}};
    return b_.pad(part, b_.constant(0, scalar), low, high, interior);
  }

  Builder &b_;
  const PoolWindow &w_;
  Dims padded_; ///< shape of src with its padding
};
} // namespace

Value formulas::poolBackward(Builder &b, const PoolWindow &w, Value src,
                           Value diffDst) {
  if (w.rule != PoolRule::Max)
    return meanBackward(b, w, diffDst);
  if (needsTaps(w))
    return TapGradient(b, w).gradient(src, diffDst);
  TensorType type = Builder::typeOf(src), scalar{type.element, {}};
  llvm::SmallVector<Axis, 5> all(2);
  all.append(w.axes.begin(), w.axes.end());
  Window window = reduceWindowOf(all);
  return b.op(
      "select_and_scatter", {src, diffDst, b.constant(0, scalar)}, type,
      {b.named("window_dimensions", b.array(window.size)),
       b.named("window_strides", b.array(window.strides)),
       b.named("padding", b.pairs(window.padding))},
      {b.comparator("GE", type.element), b.combiner("add", type.element)});
}

//===--- Local response normalisation ------------------------------------===//

/// x summed over the window around each element.
static Value windowSum(Builder &b, const ResponseNorm &norm, Value x) {
  int64_t half = (norm.size - 1) / 2;
  size_t rank = Builder::typeOf(x).shape.size();
  Window window;
  for (size_t d = 0; d < rank; ++d) {
    bool reaches = norm.across ? d == 1 : d >= 2;
    window.size.push_back(reaches ? 2 * half + 1 : 1);
    window.padding.push_back({reaches ? half : 0, reaches ? half : 0});
  }
  return b.reduceWindow("add", x, window);
}

/// alpha * x / n.
static Value share(Builder &b, const ResponseNorm &norm, Value x) {
  auto rank = static_cast<double>(Builder::typeOf(x).shape.size());
  auto size = static_cast<double>(norm.size);
  Value scaled =
      b.binary("multiply", x, b.constant(norm.alpha, Builder::typeOf(x)));
  return dividedBy(b, scaled, norm.across ? size : std::pow(size, rank - 2));
}

static Value omega(Builder &b, const ResponseNorm &norm, Value src) {
  TensorType type = Builder::typeOf(src);
  Value squares = windowSum(b, norm, b.binary("multiply", src, src));
  return b.binary("add", share(b, norm, squares), b.constant(norm.k, type));
}

Value formulas::responseNormForward(Builder &b, const ResponseNorm &norm,
                                  Value src) {
  Value exponent = b.constant(-norm.beta, Builder::typeOf(src));
  return b.binary("multiply", src,
                  b.binary("power", omega(b, norm, src), exponent));
}

Value formulas::responseNormBackward(Builder &b, const ResponseNorm &norm,
                                   Value src, Value diffDst) {
  TensorType type = Builder::typeOf(src);
  Value base = omega(b, norm, src);
  Value direct =
      b.binary("multiply", diffDst,
               b.binary("power", base, b.constant(-norm.beta, type)));
  Value parts = b.binary("divide", b.binary("multiply", direct, src), base);
  Value factor = b.binary("multiply", src, b.constant(2 * norm.beta, type));
  Value across =
      share(b, norm, b.binary("multiply", windowSum(b, norm, parts), factor));
  return b.binary("subtract", direct, across);
}
