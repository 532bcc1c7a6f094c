// See Epilogue.h. Errors: a step y = f(x) turns an error e of x into (greatest
// slope of f near x) * e, plus the rounding of the f32 result unless y is a
// float already, plus the allowance of a good implementation of f. Eltwise
// formulas: oneDNN's developer guide; allowances: Eltwise.cpp.
#include "assay/judge/contraction/Epilogue.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::judge;

static constexpr double kRoundoff = 5.9604644775390625e-08; // 2^-24
static constexpr double kSmallestNormal = 0x1p-126;         // of f32

Walk Walk::over(const Dims &dims, const std::vector<Dims> &strides) {
  Walk walk;
  walk.strides.resize(strides.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1 && dims.size() > 1)
      continue;
    bool merge = !walk.sizes.empty();
    for (size_t t = 0; t < strides.size() && merge; ++t)
      merge = walk.strides[t].back() == strides[t][d] * dims[d];
    if (merge) {
      walk.sizes.back() *= dims[d];
      for (size_t t = 0; t < strides.size(); ++t)
        walk.strides[t].back() = strides[t][d];
      continue;
    }
    walk.sizes.push_back(dims[d]);
    for (size_t t = 0; t < strides.size(); ++t)
      walk.strides[t].push_back(strides[t][d]);
  }
  if (walk.sizes.empty()) {
    walk.sizes.push_back(1);
    for (Dims &s : walk.strides)
      s.push_back(1);
  }
  return walk;
}

int64_t Walk::rows() const {
  int64_t count = 1;
  for (size_t d = 0; d + 1 < sizes.size(); ++d)
    count *= sizes[d];
  return count;
}

void Walk::at(int64_t row, int64_t *offsets) const {
  for (size_t t = 0; t < strides.size(); ++t)
    offsets[t] = 0;
  for (size_t d = sizes.size() - 1; d-- > 0; row /= sizes[d])
    for (size_t t = 0; t < strides.size(); ++t)
      offsets[t] += row % sizes[d] * strides[t][d];
}

/// Strides of a tensor with sizes 1 or full, over `dims`, when it is stored
/// row-major in logical order.
static Dims broadcastStrides(const Dims &dims, const Dims &own) {
  Dims dense = rowMajor(own), strides(dims.size(), 0);
  for (size_t d = 0; d < dims.size(); ++d)
    strides[d] = d < own.size() && own[d] > 1 ? dense[d] : 0;
  return strides;
}

void Epilogue::addStep(Kind kind, int slot, const PostOp *op,
                       std::vector<Dims> &strides) {
  const Case &c = case_;
  Step step{kind, -1, nullptr, op};
  if (slot >= 0) {
    const Dims &dims = c.slots[c.out].dims;
    Dims own = c.slots[slot].dims;
    // Per-channel tensors of one dimension, and weights' scales, run along the
    // output's channel.
    bool perChannel = own.size() != dims.size() || slot == c.scaleSlots[1];
    if (perChannel) {
      int64_t count = c.slots[slot].elements();
      size_t channel = static_cast<size_t>(c.channel);
      own.assign(dims.size(), 1);
      if (channel < dims.size())
        own[channel] = count;
    }
    step.tensor = static_cast<int>(strides.size());
    step.data = floats_[slot];
    strides.push_back(slot == c.out ? rowMajor(dims)
                                    : broadcastStrides(dims, own));
  }
  steps_.push_back(step);
}

static double greatest(const float *values, int64_t n) {
  float most = 0;
  for (int64_t i = 0; values && i < n; ++i)
    most = std::max(most, std::abs(values[i]));
  return most;
}

Epilogue::Epilogue(const Case &c, std::vector<const float *> floats)
    : case_(c), floats_(std::move(floats)) {
  // The share of src's zero point, zero * sum(b), may be subtracted before or
  // after a bias is added in f32.
  if (int zero = c.zeroPointSlots[0]; zero >= 0 && c.bias >= 0)
    zeroPointReach_ = greatest(floats_[zero], c.slots[zero].elements()) *
                      greatest(floats_[c.b], c.slots[c.b].elements()) *
                      static_cast<double>(c.contraction.depth());
  std::vector<Dims> strides{c.slots[c.out].strides};
  if (c.scaleSlots[0] >= 0)
    addStep(Kind::Scale, c.scaleSlots[0], nullptr, strides);
  if (c.scaleSlots[1] >= 0)
    addStep(Kind::Scale, c.scaleSlots[1], nullptr, strides);
  if (c.bias >= 0)
    addStep(Kind::Add, c.bias, nullptr, strides);
  for (size_t i = 0; i < c.attributes.postOps.size(); ++i) {
    const PostOp &op = c.attributes.postOps[i];
    if (op.kind == PostOp::Kind::Sum)
      addStep(Kind::Sum, c.out, &op, strides);
    else if (op.kind == PostOp::Kind::Eltwise)
      addStep(Kind::Eltwise, -1, &op, strides);
    else
      addStep(op.kind == PostOp::Kind::Prelu ? Kind::Prelu : Kind::Binary,
              c.postOpSlots[i], &op, strides);
  }
  if (c.scaleSlots[2] >= 0)
    addStep(Kind::Divide, c.scaleSlots[2], nullptr, strides);
  if (c.zeroPointSlots[2] >= 0)
    addStep(Kind::Add, c.zeroPointSlots[2], nullptr, strides);
  walk_ = Walk::over(c.slots[c.out].dims, strides);
}

/// Adds the rounding to float where it happens: everywhere but on exact
/// operands with a result that is a float. (A result that is a float by accident
/// proves nothing when the operand was off: the operation then rounds another
/// number.)
static inline void settle(double y, double slopeError, double &value,
                          double &error) {
  value = y;
  bool exact =
      slopeError == 0 && static_cast<double>(static_cast<float>(y)) == y;
  error = slopeError + (exact ? 0.0 : kRoundoff * (std::abs(y) + slopeError));
  if (std::abs(y) - error < kSmallestNormal && y != 0)
    error += kSmallestNormal; // an engine may flush subnormal results to zero
}

/// v / w. A compiler may compute v * (1 / w), which rounds twice, except for
/// powers of two.
static void divide(double w, double &value, double &error) {
  double y = value / w;
  if (!std::isfinite(y)) {
    error = error > 0 ? std::numeric_limits<double>::infinity() : 0;
    value = y;
    return;
  }
  int exponent;
  double again = std::abs(std::frexp(w, &exponent)) == 0.5 ? 0 : kRoundoff;
  settle(y, error / std::abs(w) + again * std::abs(y), value, error);
}

static void binaryStep(const std::string &name, double w, double &value,
                       double &error) {
  double v = value, e = error;
  auto compare = [&](bool outcome) {
    // Undecided when the operand is within the error: both outcomes are
    // admissible.
    bool undecided = e > 0 && std::abs(v - w) <= e;
    value = undecided ? 0.5 : outcome;
    error = undecided ? 0.5 : 0;
  };
  if (name == "add")
    settle(v + w, e, value, error);
  else if (name == "sub")
    settle(v - w, e, value, error);
  else if (name == "mul")
    settle(v * w, e * std::abs(w), value, error);
  else if (name == "div")
    divide(w, value, error);
  else if (name == "max")
    value = std::max(v, w), error = v + e < w ? 0 : e;
  else if (name == "min")
    value = std::min(v, w), error = v - e > w ? 0 : e;
  else if (name == "ge")
    compare(v >= w);
  else if (name == "gt")
    compare(v > w);
  else if (name == "le")
    compare(v <= w);
  else if (name == "lt")
    compare(v < w);
  else if (name == "eq")
    compare(v == w);
  else
    compare(v != w);
}

/// The factor of an error in x where negative values are multiplied by w.
static double slopeOf(double value, double error, double w) {
  return value - error > 0   ? 1
         : value + error < 0 ? std::abs(w)
                             : std::max(1.0, std::abs(w));
}

void Epilogue::applyStep(const Step &step, const int64_t *offsets,
                         int64_t begin, int64_t n, double *value, double *error,
                         double spread) const {
  int64_t stride = step.tensor < 0 ? 0 : walk_.inner(step.tensor);
  const float *data = step.tensor < 0
                          ? nullptr
                          : step.data + offsets[step.tensor] + begin * stride;
  switch (step.kind) {
  case Kind::Scale:
    for (int64_t i = 0; i < n; ++i)
      settle(value[i] * data[i * stride], error[i] * std::abs(data[i * stride]),
             value[i], error[i]);
    return;
  case Kind::Divide:
    for (int64_t i = 0; i < n; ++i)
      divide(data[i * stride], value[i], error[i]);
    return;
  case Kind::Add:
    for (int64_t i = 0; i < n; ++i) {
      double addend = data[i * stride],
             far = zeroPointReach_ > 0 && std::nearbyint(addend) != addend
                       ? kRoundoff * zeroPointReach_
                       : 0;
      settle(value[i] + addend, error[i] + spread * std::abs(addend) + far,
             value[i], error[i]);
    }
    return;
  case Kind::Sum:
    for (int64_t i = 0; i < n; ++i) {
      double addend =
          step.op->sumScale *
          (data[i * stride] - static_cast<double>(step.op->sumZeroPoint));
      double own = static_cast<double>(static_cast<float>(addend)) == addend
                       ? 0
                       : kRoundoff * std::abs(addend);
      settle(value[i] + addend, error[i] + own + spread * std::abs(addend),
             value[i], error[i]);
    }
    return;
  case Kind::Eltwise:
    for (int64_t i = 0; i < n; ++i) {
      Bounded y = eltwise(*step.op, value[i], error[i]);
      settle(y.value, y.error, value[i], error[i]);
    }
    return;
  case Kind::Binary:
    for (int64_t i = 0; i < n; ++i)
      binaryStep(step.op->name, data[i * stride], value[i], error[i]);
    return;
  case Kind::Prelu:
    for (int64_t i = 0; i < n; ++i) {
      double w = data[i * stride];
      settle(value[i] > 0 ? value[i] : value[i] * w,
             error[i] * slopeOf(value[i], error[i], w), value[i], error[i]);
    }
    return;
  }
}

void Epilogue::apply(int64_t row, int64_t begin, int64_t n, double *value,
                     double *error, double spread) const {
  int64_t offsets[40];
  walk_.at(row, offsets);
  for (const Step &step : steps_) {
    applyStep(step, offsets, begin, n, value, error, spread);
    if (&step == &steps_.back())
      break;
    // An intermediate overflow may come back into range by the next scale, or
    // not: the order of scales is free.
    for (int64_t i = 0; i < n; ++i)
      if (std::abs(value[i]) > std::numeric_limits<float>::max() &&
          std::isfinite(value[i]))
        error[i] = std::numeric_limits<double>::infinity();
  }
}

/// The largest f32 below 2^31. Kernels that saturate in f32 before they convert
/// return it for numbers that a 32-bit integer cannot hold; benchdnn allows it
/// too.
static constexpr double kFloatBelowS32 = 2147483520;

Interval judge::admissible(ElementType type, double value, double error) {
  // Rounding is monotonic, so the interval's ends bound every correctly rounded
  // result.
  Interval interval{roundTo(type, value - error), roundTo(type, value + error)};
  bool isS32 = type.isInteger() && type.isSigned() && type.bits == 32;
  if (isS32 && interval.high == std::numeric_limits<int32_t>::max())
    interval.low = std::min(interval.low, kFloatBelowS32);
  return interval;
}
