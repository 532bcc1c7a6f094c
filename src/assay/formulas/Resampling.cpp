// Resampling, one spatial dimension after the other: forward a gather with
// constant indices, backward a scatter that adds. Linear weights are computed
// by operations on f32 or f64, so that an engine that computes positions in f32
// is within the bound; the indices are constants, exact in integers.
#include "assay/dialect/Stablehlo.h"
#include "assay/formulas/Windows.h"

using namespace assay;
using namespace assay::formulas;
using mlir::Value;
using program::Builder;
using program::Dims;
using program::DimsRef;
using tensor::TensorType;

namespace {
/// One dimension: the sizes of its input and output.
struct Line {
  int64_t axis, inputs, outputs;
};
} // namespace

static int64_t floorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Twice the position times O, an integer: (2 o + 1) I - O.
static int64_t twicePosition(const Line &line, int64_t output) {
  return (2 * output + 1) * line.inputs - line.outputs;
}

/// The input below the position of each output; it may be -1.
static Dims below(const Line &line) {
  Dims result;
  for (int64_t o = 0; o < line.outputs; ++o)
    result.push_back(floorDiv(twicePosition(line, o), 2 * line.outputs));
  return result;
}

static Dims clamped(const Line &line, Dims indices, int64_t shift) {
  for (int64_t &i : indices)
    i = std::clamp<int64_t>(i + shift, 0, line.inputs - 1);
  return indices;
}

/// round(position), halves away from zero. Positions are above -1/2, so no
/// negative half occurs.
static Dims nearest(const Line &line) {
  Dims result;
  for (int64_t o = 0; o < line.outputs; ++o)
    result.push_back(
        floorDiv(twicePosition(line, o) + line.outputs, 2 * line.outputs));
  return clamped(line, result, 0);
}

/// The weights of the inputs above (or below), spread over `type`.
static Value weights(Builder &b, const Line &line, const TensorType &type,
                     bool above) {
  TensorType vector{type.element, {line.outputs}};
  auto number = [&](double value) { return b.constant(value, vector); };
  Value position = b.binary("add", b.iota(vector, 0), number(0.5));
  position =
      b.binary("multiply", position, number(static_cast<double>(line.inputs)));
  position =
      b.binary("divide", position, number(static_cast<double>(line.outputs)));
  position = b.binary("subtract", position, number(0.5));
  Value low = b.convert(b.constant(below(line)), type.element);
  Value weight = b.binary("subtract", position, low);
  if (!above)
    weight = b.binary("subtract", number(1), weight);
  return b.broadcast(weight, type.shape, {line.axis});
}

static Dims otherAxes(size_t rank, int64_t axis) {
  Dims result;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (d != axis)
      result.push_back(d);
  return result;
}

/// Elements `indices` of x along one dimension.
static Value gather(Builder &b, Value x, int64_t axis, const Dims &indices) {
  TensorType type = Builder::typeOf(x);
  Dims sizes(type.shape);
  sizes[static_cast<size_t>(axis)] = 1;
  Dims others = otherAxes(sizes.size(), axis);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(
      b.context(), others, {axis}, {}, {}, {axis}, 1);
  TensorType result = type;
  result.shape[static_cast<size_t>(axis)] =
      static_cast<int64_t>(indices.size());
  return b.op("gather", {x, b.constant(indices)}, result,
              {b.named("dimension_numbers", numbers),
               b.named("slice_sizes", b.array(sizes))});
}

/// Zeros of the inputs' size with the elements of x added at `indices`.
static Value scatter(Builder &b, Value x, const Line &line,
                     const Dims &indices) {
  TensorType type = Builder::typeOf(x);
  type.shape[static_cast<size_t>(line.axis)] = line.inputs;
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
      b.context(), otherAxes(type.shape.size(), line.axis), {line.axis}, {}, {},
      {line.axis}, 1);
  return b.op("scatter", {b.constant(0, type), b.constant(indices), x}, type,
              b.named("scatter_dimension_numbers", numbers),
              b.combiner("add", type.element));
}

Value formulas::resampleForward(Builder &b, bool linear, Value src,
                              DimsRef outputs) {
  Value x = src;
  for (size_t d = 0; d < outputs.size(); ++d) {
    auto axis = static_cast<int64_t>(d) + 2;
    Line line{axis, Builder::typeOf(x).shape[d + 2], outputs[d]};
    if (line.inputs == line.outputs)
      continue;
    if (!linear) {
      x = gather(b, x, axis, nearest(line));
      continue;
    }
    Value low = gather(b, x, axis, clamped(line, below(line), 0)),
          high = gather(b, x, axis, clamped(line, below(line), 1));
    TensorType type = Builder::typeOf(low);
    x = b.binary("add",
                 b.binary("multiply", low, weights(b, line, type, false)),
                 b.binary("multiply", high, weights(b, line, type, true)));
  }
  return x;
}

Value formulas::resampleBackward(Builder &b, bool linear, Value diffDst,
                               DimsRef inputs) {
  Value x = diffDst;
  for (size_t d = 0; d < inputs.size(); ++d) {
    auto axis = static_cast<int64_t>(d) + 2;
    TensorType type = Builder::typeOf(x);
    Line line{axis, inputs[d], type.shape[d + 2]};
    if (line.inputs == line.outputs)
      continue;
    if (!linear) {
      x = scatter(b, x, line, nearest(line));
      continue;
    }
    Dims indices = clamped(line, below(line), 0);
    indices.append(clamped(line, below(line), 1));
    Value both =
        b.concatenate({b.binary("multiply", x, weights(b, line, type, false)),
                       b.binary("multiply", x, weights(b, line, type, true))},
                      axis);
    x = scatter(b, both, line, indices);
  }
  return x;
}
