// Gradients of depthwise filters in the native engine against the reference: strips and
// pieces, windows of every kind, groups, types, orders and special values.
#include "assay/engine/native/ConvolutionAgreement.h"
#include "assay/engine/native/NativeAgreement.h"

#include "assay/support/Random.h"

#include <cmath>

using namespace assay;
using namespace assay::engine;

/// image [n, spatial..., c] and gradient of the result [n, spatial..., c] give
/// the filter [spatial..., 1, c]: `groups` batch groups, summed over n; the
/// stride of the layer becomes the gradient's dilation.
static Form gradientOf(const char *name, Dims image, Dims gradient, Dims strides,
                       program::Padding padding = {}) {
  auto rank = static_cast<int64_t>(image.size()) - 2;
  Form form{name, image, gradient, {}};
  Convolution &o = form.options;
  o.inputBatch = rank + 1, o.inputFeature = 0;
  o.kernelInputFeature = 0, o.kernelOutputFeature = rank + 1;
  o.outputBatch = rank, o.outputFeature = rank + 1;
  for (int64_t d = 0; d < rank; ++d) {
    o.inputSpatial.push_back(d + 1), o.kernelSpatial.push_back(d + 1);
    o.outputSpatial.push_back(d);
  }
  o.batchGroups = image.back();
  o.rhsDilation = std::move(strides);
  o.padding = padding.empty() ? program::Padding(static_cast<size_t>(rank), {1, 1})
                              : std::move(padding);
  return form;
}

TEST(DepthwiseFilterGradient, OfOneStrip) {
  Form form = gradientOf("3x3", {3, 9, 8, 20}, {3, 9, 8, 20}, {1, 1});
  expectAgreement(form);
  expectAgreement(gradientOf("3x3, strided", {3, 9, 8, 20}, {3, 4, 4, 20}, {2, 2}));
  expectAgreement(gradientOf("130 channels", {3, 9, 8, 130}, {3, 4, 4, 130}, {2, 2}));
  form.options.outputBatch = 0, form.options.outputSpatial = {1, 2};
  expectAgreement(form);
}

/// Strips of several rows, and pieces of several strips, that cross the ends of
/// entries.
TEST(DepthwiseFilterGradient, OfManyStrips) {
  expectAgreement(gradientOf("four strips", {1, 16, 12, 40}, {1, 16, 12, 40}, {1, 1}));
  expectAgreement(
      gradientOf("nine strips", {2, 40, 33, 160}, {2, 40, 33, 160}, {1, 1}));
  expectAgreement(gradientOf("strided", {3, 41, 20, 96}, {3, 21, 10, 96}, {2, 2}));
  expectAgreement(
      gradientOf("70 strips", {3, 70, 5, 1601}, {3, 70, 5, 1601}, {1, 1}));
}

TEST(DepthwiseFilterGradient, OfWindowsOfEveryKind) {
  expectAgreement(gradientOf("5x5", {2, 30, 21, 48}, {2, 30, 21, 48}, {1, 1},
                             {{2, 2}, {2, 2}}));
  expectAgreement(gradientOf("4x3", {2, 31, 21, 48}, {2, 30, 21, 48}, {1, 1},
                             {{2, 2}, {1, 1}}));
  expectAgreement(gradientOf("1x7", {2, 30, 21, 48}, {2, 30, 21, 48}, {1, 1},
                             {{0, 0}, {3, 3}}));
  expectAgreement(gradientOf("padding cut off", {2, 30, 21, 48}, {2, 26, 18, 48},
                             {1, 1}, {{-1, -1}, {1, -2}}));
  expectAgreement(gradientOf("line", {2, 300, 33}, {2, 150, 33}, {2}, {{2, 2}}));
  expectAgreement(
      gradientOf("solid", {2, 6, 9, 8, 20}, {2, 6, 9, 8, 20}, {1, 1, 1}));
  Form form = gradientOf("dilated", {2, 30, 22, 48}, {2, 26, 18, 48}, {1, 1});
  form.options.strides = {3, 3};
  expectAgreement(form);
  form.options.strides = {3, 1}, form.options.reversal = {true, true};
  expectAgreement(form);
  form.options.lhsDilation = {2, 2}, form.options.rhsDilation = {2, 2};
  expectAgreement(form);
}

/// The image's channels in g batch groups give g filters each.
TEST(DepthwiseFilterGradient, OfGroups) {
  for (int64_t inputs : {2, 4, 8, 16}) {
    Form form = gradientOf("groups", {3, 9, 8, 48}, {3, 9, 8, 48}, {1, 1});
    form.options.batchGroups = 48 / inputs;
    expectAgreement(form);
    form.rhs = {3, 4, 4, 48}, form.options.rhsDilation = {2, 2};
    expectAgreement(form);
    form.options.outputBatch = 0, form.options.outputSpatial = {1, 2};
    expectAgreement(form);
    form.type = "bf16";
    expectAgreement(form);
    form.lhs = {3, 40, 31, 48}, form.rhs = {3, 20, 16, 48};
    expectAgreement(form);
  }
}

TEST(DepthwiseFilterGradient, OfPlanes) {
  Form form{"planes", {3, 20, 9, 8}, {3, 20, 9, 8}, windows({1, 1}, 1)};
  form.options.inputBatch = form.options.kernelOutputFeature = 1;
  form.options.inputFeature = form.options.kernelInputFeature = 0;
  form.options.outputBatch = 1, form.options.outputFeature = 0;
  form.options.batchGroups = 20;
  expectAgreement(form);
}

TEST(DepthwiseFilterGradient, OtherTypes) {
  for (Dims size : {Dims{2, 9, 8, 37}, Dims{2, 30, 20, 72}}) {
    Form form = gradientOf("f64", size, size, {1, 1});
    form.type = "f64";
    expectAgreement(form);
    for (const char *type : {"bf16", "f16"})
      for (const char *result : {type, "f32"}) {
        form.name = form.type = type, form.result = result;
        expectAgreement(form);
      }
  }
}

/// Bytes that the program widens, of either sign in image and gradient.
TEST(DepthwiseFilterGradient, BytesAddUpInF32) {
  for (const char *size : {"1x6x5x40", "2x12x10x40"})
    for (const char *types : {"ui8 i8", "i8 i8", "ui8 ui8", "i8 ui8"})
      expectBytes(size, size, "3x3x1x40", types,
                  "dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = "
                  "{pad = [[1, 1], [1, 1]]} {batch_group_count = 40 : i64, "
                  "feature_group_count = 1 : i64}");
}

TEST(DepthwiseFilterGradient, RandomForms) {
  CounterRandom random(15, 2);
  uint64_t at = 0;
  auto draw = [&](int64_t low, int64_t high) {
    return random.integer(at++, low, high);
  };
  for (int n = 0; n < 40; ++n) {
    int64_t channels = draw(2, 90), entries = draw(1, 4);
    Dims image{entries, draw(1, 40), draw(1, 30), channels}, gradient = image,
        strides{draw(1, 3), draw(1, 2)};
    program::Padding padding;
    for (size_t d = 0; d < 2; ++d) {
      int64_t window = draw(1, 5), low = draw(0, 2), high = window - 1 + draw(0, 2);
      gradient[d + 1] = (image[d + 1] + low + high - window) / strides[d] + 1;
      padding.push_back({low, high});
    }
    expectAgreement(gradientOf("drawn", image, gradient, strides, padding));
  }
}

/// Padding is multiplied: an infinite gradient makes it NaN, as in the reference.
TEST(DepthwiseFilterGradient, InfinityAndNaNGoWhereTheReferencePutsThem) {
  for (int64_t rows : {6, 60}) {
    Form form = gradientOf("special", {1, rows, 7, 20}, {1, rows, 7, 20}, {1, 1});
    std::vector<Tensor> arguments = argumentsOf(form);
    float *image = arguments[0].mutableData<float>(),
          *gradient = arguments[1].mutableData<float>();
    image[5] = kInfinity, image[127] = -kInfinity, image[300] = std::nanf("");
    gradient[0] = kInfinity, gradient[88] = -kInfinity, gradient[93] = -0.0f;
    EXPECT_GT(expectSameSpecials(form, arguments).first, 20);
  }
}
