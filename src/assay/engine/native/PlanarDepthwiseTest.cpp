// Depthwise convolutions of images with a plane for each channel (NCHW), computed where they
// are stored, against the reference: chosen and random forms, types, special values.
#include "assay/engine/native/ConvolutionAgreement.h"
#include "assay/engine/native/DepthwiseGeometry.h"

#include "assay/support/Random.h"

using namespace assay;
using namespace assay::engine;

/// Images [batch, channels, rows, columns], filters [channels, 1, rows, columns].
static Form planar(Dims lhs, Dims kernel) {
  Form form{"planar", lhs, {lhs[1], 1, kernel[0], kernel[1]}, windows({1, 1}, 0)};
  form.options.featureGroups = lhs[1];
  form.options.padding = {{kernel[0] / 2, kernel[0] / 2}, {kernel[1] / 2, kernel[1] / 2}};
  return form;
}

/// Whether a form is computed in planes.
static bool isInPlanes(const Form &form) {
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  bool inPlanes = false;
  auto parsed = programOf(form);
  forEachConvolution(*parsed, [&](const StepSpec &spec) {
    auto first = convCandidates({engine.context(), spec}).front().algorithm;
    inPlanes = first == kernels::ConvAlgorithm::ChannelPlanes ||
               first == kernels::ConvAlgorithm::PlaneGradients;
  });
  return inPlanes;
}

static void expectInPlanes(const Form &form) {
  EXPECT_TRUE(isInPlanes(form));
  expectAgreement(form);
}

TEST(PlanarDepthwise, StridesDilationsAndPaddings) {
  Form form = planar({2, 5, 9, 40}, {3, 3});
  expectInPlanes(form);
  for (Dims strides : {Dims{2, 2}, Dims{1, 3}, Dims{3, 1}}) {
    form.options.strides = strides;
    for (Dims dilation : {Dims{1, 1}, Dims{2, 1}, Dims{1, 2}}) {
      form.options.rhsDilation = dilation;
      for (auto padding : {std::pair{1, 1}, std::pair{0, 3}, std::pair{-2, 4}, std::pair{5, -1}}) {
        form.options.padding = {{padding.second, padding.first}, {padding.first, padding.second}};
        expectInPlanes(form);
      }
    }
  }
  expectInPlanes(planar({1, 3, 1, 17}, {5, 7}));
  expectInPlanes(planar({3, 2, 30, 64}, {7, 1}));
  expectInPlanes(planar({1, 130, 14, 14}, {3, 3}));
}

/// The gradient of a strided convolution's data: rows and columns in phases.
TEST(PlanarDepthwise, DilatedImages) {
  for (Dims dilation : {Dims{2, 2}, Dims{1, 2}, Dims{3, 1}, Dims{2, 3}})
    for (int64_t columns : {20, 33})
      for (bool reversed : {false, true}) {
        Form form = planar({2, 7, 6, columns}, {3, 3});
        form.options.lhsDilation = dilation;
        form.options.padding = {{1, 2}, {2, 1}};
        form.options.reversal = {reversed, reversed};
        expectInPlanes(form);
      }
}

/// Few columns fill no vector, groups of more are not planes of their own.
TEST(PlanarDepthwise, OthersAreReordered) {
  Form narrow = planar({2, 40, 9, 1}, {3, 3});
  EXPECT_FALSE(isInPlanes(narrow));
  expectAgreement(narrow);
  EXPECT_FALSE(isInPlanes(channelsLast("last", {2, 9, 40, 20}, {3, 3}, 20, 20)));
  Form doubled = planar({2, 8, 9, 40}, {3, 3});
  doubled.rhs[0] = 16;
  EXPECT_FALSE(isInPlanes(doubled));
  Form far = planar({1, 2, 40, 40}, {3, 3});
  far.options.rhsDilation = {2000, 2000};
  far.options.padding = {{2000, 2000}, {2000, 2000}};
  EXPECT_FALSE(isInPlanes(far));
  Form real = planar({2, 8, 9, 40}, {3, 3});
  real.type = "f64";
  EXPECT_FALSE(isInPlanes(real));
  expectAgreement(real);
}

TEST(PlanarDepthwise, SixteenBits) {
  for (const char *type : {"bf16", "f16"})
    for (const char *result : {type, "f32"}) {
      Form form = planar({2, 6, 10, 50}, {3, 3});
      form.type = type, form.result = result;
      if (!isInPlanes(form)) // a processor that cannot widen f16
        continue;
      expectAgreement(form);
      form.options.strides = {2, 2};
      expectAgreement(form);
      form.options.strides = {1, 1}, form.options.lhsDilation = {2, 2};
      expectAgreement(form);
    }
}

TEST(PlanarDepthwise, RandomForms) {
  CounterRandom random(16, 1);
  uint64_t at = 0;
  auto draw = [&](int64_t low, int64_t high) {
    return random.integer(at++, low, high);
  };
  int64_t inPlanes = 0;
  for (int n = 0; n < 60; ++n) {
    Form form = planar({draw(1, 3), draw(2, 30), draw(1, 24), draw(8, 70)},
                       {draw(1, 5), draw(1, 5)});
    Convolution &o = form.options;
    o.strides = {draw(1, 3), draw(1, 3)};
    o.rhsDilation = {draw(1, 3), draw(1, 2)};
    if (draw(0, 2) == 0)
      o.lhsDilation = {draw(1, 2), draw(1, 3)};
    for (size_t d = 0; d < 2; ++d)
      o.padding[d] = {draw(0, 3) + o.rhsDilation[d] * (form.rhs[d + 2] - 1),
                      draw(-1, 3)};
    inPlanes += isInPlanes(form);
    expectAgreement(form);
  }
  EXPECT_GT(inPlanes, 30);
}

/// The gradient of the filter, for large planes: image and gradient [n, c, h, w].
static Form filterGradient(Dims image, Dims gradient, int64_t stride) {
  Form form{"filter", image, gradient, windows({1, 1}, 1, {stride, stride})};
  Convolution &o = form.options;
  o.inputBatch = o.kernelOutputFeature = 1;
  o.inputFeature = o.kernelInputFeature = 0;
  o.outputBatch = 1, o.outputFeature = 0;
  o.batchGroups = image[1];
  return form;
}

TEST(PlanarDepthwise, GradientOfTheFilter) {
  for (const char *type : {"f32", "bf16"}) {
    // 3 x 3, strides of 1 and 2; rows that fill vectors and rows that do not.
    for (Form form : {filterGradient({2, 3, 120, 112}, {2, 3, 120, 112}, 1),
                      filterGradient({2, 3, 120, 110}, {2, 3, 60, 55}, 2),
                      filterGradient({1, 5, 14, 1000}, {1, 5, 12, 998}, 1),
                      filterGradient({3, 70, 201, 70}, {3, 70, 67, 24}, 3)}) {
      form.type = type;
      expectInPlanes(form);
      form.options.padding = {{2, 0}, {0, 2}};
      expectInPlanes(form);
    }
  }
  // Small planes, and windows of many taps, are reordered.
  Form small = filterGradient({2, 3, 20, 30}, {2, 3, 20, 30}, 1);
  EXPECT_FALSE(isInPlanes(small));
  expectAgreement(small);
  EXPECT_FALSE(isInPlanes(filterGradient({2, 3, 120, 112}, {2, 3, 115, 107}, 1)));
}

/// Elements after a row's last column are in none of its sums.
TEST(PlanarDepthwise, GradientOfTheFilterOfWhatIsNotFinite) {
  Form form = filterGradient({2, 6, 90, 90}, {2, 6, 45, 45}, 2);
  std::vector<Tensor> arguments = argumentsOf(form);
  float *image = arguments[0].mutableData<float>();
  image[90 * 50] = kInfinity; // of the next row, after the one before
  image[90 * 90 * 3 - 1] = std::nanf("");
  arguments[1].mutableData<float>()[45 * 45 * 8] = -kInfinity;
  EXPECT_GT(expectSameSpecials(form, arguments).first, 5);
}

/// Padding is multiplied, and so are the zeros between elements, by the whole filter.
TEST(PlanarDepthwise, InfinityAndNaNGoWhereTheReferencePutsThem) {
  Form form = planar({1, 20, 6, 33}, {3, 3});
  for (int64_t dilation : {1, 2}) {
    form.options.lhsDilation = {dilation, dilation};
    EXPECT_TRUE(isInPlanes(form));
    std::vector<Tensor> arguments = argumentsOf(form);
    float *pixels = arguments[0].mutableData<float>();
    pixels[5] = kInfinity, pixels[127] = -kInfinity, pixels[300] = std::nanf("");
    EXPECT_GT(expectSameSpecials(form, arguments).first, 20);
    arguments[1].mutableData<float>()[4] = kInfinity;
    EXPECT_GT(expectSameSpecials(form, arguments).first, 50);
  }
}
