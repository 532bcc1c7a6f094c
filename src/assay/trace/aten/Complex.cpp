// aten operators of complex numbers, and Fourier transforms.
#include "assay/trace/aten/Builder.h"

#include <cmath>

namespace assay::trace::aten {

static Value realPart(Builder &b, const Value &x) {
  return b.unary("real", x);
}
static Value imaginaryPart(Builder &b, const Value &x) {
  return b.unary("imag", x);
}
static Value conjugate(Builder &b, const Value &x) {
  return x.isComplex()
             ? Value(b.ir().binary(
                   "complex", realPart(b, x),
                   b.unary("negate", imaginaryPart(b, x))))
             : x;
}

void complexOf(Builder &b) { // (real, imaginary)
  Value x = b.wide(b.tensor(0)), y = b.wide(b.tensor(1));
  const Shape &shape = b.output().shape;
  b.result(b.ir().binary("complex", b.broadcast(x, shape),
                         b.broadcast(y, shape)));
}
void conj(Builder &b) { b.result(conjugate(b, b.recorded(0))); }

void viewAsReal(Builder &b) {
  Value x = b.recorded(0);
  if (!x.isComplex())
    return b.refuse("no complex number");
  Shape shape = x.shape();
  shape.push_back(1);
  b.result(b.concatenate({b.reshape(realPart(b, x), shape),
                          b.reshape(imaginaryPart(b, x), shape)},
                         x.rank()));
}
void viewAsComplex(Builder &b) {
  Value x = b.recorded(0);
  if (x.rank() == 0 || x.size(x.rank() - 1) != 2)
    return b.refuse("no pairs of numbers");
  int64_t last = x.rank() - 1;
  Shape shape(x.shape().begin(), x.shape().end() - 1);
  Value real = b.reshape(b.slice(x, last, 0, 1), shape),
        imaginary = b.reshape(b.slice(x, last, 1, 2), shape);
  b.result(b.ir().binary("complex", real, imaginary));
}

void angle(Builder &b) {
  Value x = b.wide(b.tensor(0));
  if (x.isComplex())
    return b.result(b.binary("atan2", imaginaryPart(b, x), realPart(b, x)));
  Value turned = b.select(b.compare("LT", x, b.scalar(0)), b.scalar(M_PI),
                          b.scalar(0));
  b.result(b.select(b.compare("NE", x, x), x, turned));
}
void sign(Builder &b);
void sgn(Builder &b) { // x / |x|, and 0 for 0
  Value x = b.tensor(0);
  if (!x.isComplex())
    return sign(b);
  Value size = b.unary("abs", x);
  b.result(b.select(b.compare("EQ", size, b.scalar(0)), b.scalar(0),
                    b.div(x, size)));
}

/// The transform along one axis: type FFT, RFFT or IRFFT of `length`.
static Value transformed(Builder &b, const Value &x, int64_t axis,
                         stablehlo::FftType type, int64_t length) {
  Axes order;
  for (int64_t i = 0; i < x.rank(); ++i)
    order.push_back(i == axis ? x.rank() - 1 : i == x.rank() - 1 ? axis : i);
  Value turned = b.transpose(x, order);
  TensorType out{x.type.element, turned.shape()};
  if (type == stablehlo::FftType::RFFT) {
    out.element = b.complexType();
    out.shape.back() = length / 2 + 1;
  } else if (type == stablehlo::FftType::IRFFT) {
    out.element = b.real();
    out.shape.back() = length;
  }
  Value made = b.ir().op(
      "fft", {turned}, out,
      {b.ir().named("fft_type",
                    stablehlo::FftTypeAttr::get(b.ir().context(), type)),
       b.ir().named("fft_length", b.ir().array({length}))});
  return b.transpose(made, order);
}

/// The transform along each axis, without a factor; the inverse one is the conjugate of the
/// forward transform of the conjugate.
static Value complexTransform(Builder &b, Value x, Dims axes, bool forward) {
  if (!forward)
    x = conjugate(b, x);
  for (int64_t axis : axes)
    x = transformed(b, x, axis, stablehlo::FftType::FFT, x.size(axis));
  return forward ? x : conjugate(b, x);
}

/// normalization: 0 none, 1 divided by sqrt(n), 2 by n; `more`: a further
/// factor.
static Value normalized(Builder &b, const Value &x, size_t argument,
                        double count, double more = 1) {
  int64_t kind = b.integer(argument, "normalization", 0);
  double factor = more * (kind == 1   ? 1 / std::sqrt(count)
                          : kind == 2 ? 1 / count
                                      : 1);
  return factor == 1 ? x : b.mul(x, b.scalar(factor));
}

void fftComplex(Builder &b) { // (x, dim, normalization, forward)
  Value x = b.tensor(0);
  Axes axes = b.axes(1, "dim", x.rank());
  Value out = complexTransform(b, x, axes, b.boolean(3, "forward", true));
  b.result(normalized(b, out, 2, b.countOf(x, axes)));
}
void fftReal(Builder &b) { // (x, dim, normalization, onesided)
  Value x = b.wide(b.tensor(0)), out;
  Axes axes = b.axes(1, "dim", x.rank());
  if (axes.empty() || x.isComplex())
    return b.refuse("no real numbers, or no dimension");
  if (b.boolean(3, "onesided", true)) {
    int64_t last = axes.back();
    out = transformed(b, x, last, stablehlo::FftType::RFFT, x.size(last));
    out = complexTransform(b, out, Dims(axes).drop_back(), true);
  } else {
    out = complexTransform(b, b.convert(x, b.complexType()), axes, true);
  }
  b.result(normalized(b, out, 2, b.countOf(x, axes)));
}
void fftToReal(Builder &b) { // (x, dim, normalization, last_dim_size)
  Value x = b.tensor(0);
  Axes axes = b.axes(1, "dim", x.rank());
  int64_t length = b.integer(3, "last_dim_size", 0);
  if (axes.empty() || !x.isComplex() || x.size(axes.back()) != length / 2 + 1)
    return b.refuse("no half of a spectrum of that length");
  Dims others = Dims(axes).drop_back();
  Value out = complexTransform(b, x, others, false);
  out = transformed(b, out, axes.back(), stablehlo::FftType::IRFFT, length);
  auto whole = static_cast<double>(length);
  b.result(normalized(b, out, 2, b.countOf(x, others) * whole, whole));
}

} // namespace assay::trace::aten
