// Depthwise convolutions of images whose channels are contiguous, in the
// native engine against the reference: chosen forms, random forms, special
// values, and what is refused.
#include "assay/engine/native/ConvolutionAgreement.h"
#include "assay/engine/native/NativeAgreement.h"

#include "assay/support/Random.h"

#include <cmath>

using namespace assay;
using namespace assay::engine;

/// Filters [spatial..., 1, channels].
static Form channelsLast(const char *name, Dims lhs, Dims kernel) {
  int64_t channels = lhs.back();
  return channelsLast(name, std::move(lhs), std::move(kernel), channels,
                      channels);
}

/// Why there is no step for a form, or "".
static std::string refusalOf(const Form &form) {
  return refusalOf(form, [](auto context, const StepSpec &spec) {
    return makeBy(kChannelsConvolution, std::move(context), spec);
  });
}

TEST(DepthwiseConvolution, ForwardWithStridesDilationAndPadding) {
  expectAgreement(channelsLast("plain", {2, 9, 8, 20}, {3, 3}));
  expectAgreement(channelsLast("few channels", {1, 9, 8, 3}, {5, 2}));
  expectAgreement(
      channelsLast("smaller than its window", {1, 2, 3, 33}, {7, 7}));
  Form form = channelsLast("strided", {3, 11, 9, 72}, {3, 3});
  form.options.strides = {2, 3};
  expectAgreement(form);
  form = channelsLast("dilated", {1, 11, 9, 40}, {3, 3});
  form.options.rhsDilation = {2, 3};
  form.options.padding = {{3, 1}, {0, 4}};
  expectAgreement(form);
  form.options.padding = {{-1, 5}, {6, -2}};
  expectAgreement(form);
  form.options.reversal = {true, false};
  expectAgreement(form);
  form.options.lhsDilation = {2, 3};
  expectAgreement(form);
}

TEST(DepthwiseConvolution, OneAndThreeDimensions) {
  Form line = channelsLast("1d", {2, 30, 18}, {5});
  line.options.strides = {2};
  expectAgreement(line);
  Form solid = channelsLast("3d", {2, 4, 5, 6, 10}, {2, 3, 3});
  solid.options.strides = {1, 2, 1};
  expectAgreement(solid);
  solid.options.reversal = {true, true, false};
  expectAgreement(solid);
}

TEST(DepthwiseConvolution, FiltersOfAnyOrderAndImagesOfAny) {
  Form form = channelsLast("out, in, height, width", {2, 7, 6, 24}, {3, 2});
  form.rhs = {24, 1, 3, 2};
  form.options.kernelOutputFeature = 0, form.options.kernelInputFeature = 1;
  form.options.kernelSpatial = {2, 3};
  expectAgreement(form);
  form = channelsLast("height, width, batch, channels", {7, 6, 2, 24}, {3, 2});
  form.options.inputBatch = 2, form.options.inputSpatial = {0, 1};
  expectAgreement(form);
  form.options.outputBatch = 2, form.options.outputSpatial = {1, 0};
  expectAgreement(form);
}

TEST(DepthwiseConvolution, GroupsOfAFewChannels) {
  Form form = channelsLast("2 to 2", {2, 9, 8, 24}, {3, 3});
  form.options.featureGroups = 12;
  form.rhs[2] = 2;
  expectAgreement(form);
  form.name = "2 to 1, strided";
  form.rhs[3] = 12;
  form.options.strides = {2, 1};
  expectAgreement(form);
  for (int64_t inputs : {4, 8, 16}) {
    Form spread = channelsLast("as many outputs as inputs", {2, 9, 8, 48}, {3, 3});
    spread.options.featureGroups = 48 / inputs;
    spread.rhs[2] = inputs;
    expectAgreement(spread);
    spread.options.strides = {2, 1}, spread.options.rhsDilation = {1, 2};
    spread.options.reversal = {true, true};
    expectAgreement(spread);
  }
  Form multiplied = channelsLast("1 to 3", {1, 7, 9, 10}, {5, 3});
  multiplied.rhs[3] = 30;
  expectAgreement(multiplied);
}

TEST(DepthwiseConvolution, ChannelsFirstAreReordered) {
  Form planar{"planar", {2, 40, 9, 7}, {40, 1, 3, 3}, windows({1, 1}, 1)};
  planar.options.featureGroups = 40;
  EXPECT_EQ(refusalOf(planar), "");
  expectAgreement(planar);
  planar.options.strides = {2, 1};
  planar.options.rhsDilation = {1, 2};
  expectAgreement(planar);
  Form mixed = channelsLast("the result planar", {2, 9, 8, 20}, {3, 3});
  mixed.options.outputFeature = 1, mixed.options.outputSpatial = {2, 3};
  expectAgreement(mixed);
}

TEST(DepthwiseConvolution, OtherTypes) {
  Form form = channelsLast("f64", {2, 9, 8, 37}, {3, 3});
  form.type = "f64";
  expectAgreement(form);
  for (const char *type : {"bf16", "f16"})
    for (const char *result : {type, "f32"}) {
      form.name = form.type = type, form.result = result;
      expectAgreement(form);
    }
}

/// Checks a forward convolution of bytes with this window and these groups.
static void expectForward(const std::string &image, const std::string &filter,
                          const std::string &result, const std::string &types,
                          const std::string &window, int64_t groups,
                          int64_t steps = 1) {
  expectBytes(image, filter, result, types,
              "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {" +
                  window +
                  "} {batch_group_count = 1 : i64, feature_group_count = " +
                  std::to_string(groups) + " : i64}",
              steps);
}

TEST(DepthwiseConvolution, BytesAddUpInF32) {
  const char *pad = "pad = [[1, 1], [1, 1]]", *none = "pad = [[0, 0], [0, 0]]";
  for (const char *types : {"ui8 i8", "i8 i8", "ui8 ui8", "i8 ui8"}) {
    SCOPED_TRACE(types);
    expectForward("2x9x8x40", "3x3x1x40", "2x9x8x40", types, pad, 40);
    expectForward("1x30x20x33", "5x5x1x33", "1x13x8x33", types,
                "stride = [2, 2]", 33);
  }
  // 256 taps of 255 * 255 still fit f32; 289 taps could exceed 2^24.
  expectForward("1x17x18x16", "16x16x1x16", "1x2x3x16", "ui8 ui8", none, 16);
  expectForward("1x17x18x16", "17x17x1x16", "1x1x2x16", "ui8 ui8", none, 16, -1);
}

TEST(DepthwiseConvolution, BytesInWindowsOfOneElementAndShortLines) {
  const char *pad = "pad = [[1, 1], [1, 1]]", *none = "pad = [[0, 0], [0, 0]]";
  for (const char *types : {"ui8 i8", "i8 i8", "i8 ui8"}) {
    expectForward("2x9x8x40", "1x1x40x24", "2x9x8x24", types, none, 1);
    expectForward("1x40x3x64", "3x3x64x16", "1x40x3x16", types, pad, 1);
  }
}

TEST(DepthwiseConvolution, RandomForms) {
  CounterRandom random(15, 1);
  uint64_t at = 0;
  auto draw = [&](int64_t low, int64_t high) {
    return random.integer(at++, low, high);
  };
  for (int n = 0; n < 40; ++n) {
    Form form = channelsLast(
        "drawn", {draw(1, 3), draw(1, 20), draw(1, 40), draw(2, 90)},
        {draw(1, 5), draw(1, 5)});
    Convolution &o = form.options;
    o.strides = {draw(1, 3), draw(1, 3)};
    o.rhsDilation = {draw(1, 3), draw(1, 2)};
    if (draw(0, 3) == 0)
      o.lhsDilation = {draw(1, 2), draw(1, 3)};
    // The window fits at least once.
    for (size_t d = 0; d < 2; ++d)
      o.padding[d] = {draw(0, 3) + o.rhsDilation[d] * (form.rhs[d] - 1),
                      draw(0, 3)};
    expectAgreement(form);
  }
}

/// Padding is multiplied: an infinite weight makes it NaN, as in the reference.
TEST(DepthwiseConvolution, InfinityAndNaNGoWhereTheReferencePutsThem) {
  Form form = channelsLast("special", {1, 6, 7, 20}, {3, 3});
  std::vector<Tensor> arguments = argumentsOf(form);
  float *image = arguments[0].mutableData<float>(),
        *filter = arguments[1].mutableData<float>();
  image[5] = kInfinity, image[127] = -kInfinity, image[300] = std::nanf("");
  filter[0] = kInfinity, filter[88] = -kInfinity, filter[93] = -0.0f;
  EXPECT_GT(expectSameSpecials(form, arguments).first, 50);
}

/// The zeros between the elements of a dilated image are multiplied as well, which
/// matters for a filter that is not finite.
TEST(DepthwiseConvolution, ZerosOfADilatedImageMeetTheWholeFilter) {
  Form form = channelsLast("dilated", {1, 6, 7, 20}, {3, 3});
  form.options.lhsDilation = {2, 3};
  form.options.reversal = {true, false};
  expectAgreement(form);
  for (float special : {kInfinity, -kInfinity, std::nanf("")}) {
    std::vector<Tensor> arguments = argumentsOf(form);
    arguments[1].mutableData<float>()[47] = special;
    EXPECT_GT(expectSameSpecials(form, arguments).first, 50) << special;
  }
}

TEST(DepthwiseConvolution, RefusesWithAReason) {
  Form form = channelsLast("as it should be", {1, 5, 5, 12}, {3, 3});
  EXPECT_EQ(refusalOf(form), "");
  form.options.featureGroups = 1;
  form.rhs[2] = 12;
  EXPECT_EQ(refusalOf(form), "one group");
  Form wide = channelsLast("wide groups", {1, 5, 5, 40}, {3, 3});
  wide.options.featureGroups = 2;
  wide.rhs[2] = 20;
  EXPECT_EQ(refusalOf(wide), "groups of many channels, or of planes");
  EXPECT_EQ(refusalOf(channelsLast("4d", {1, 2, 3, 4, 5, 12}, {1, 2, 2, 2})),
            "more than three spatial dimensions");
  EXPECT_EQ(refusalOf(channelsLast("4.2 million", {1, 2100, 2100, 2},
                                   {2049, 2048})),
            "the window has more than four million elements");
  Form batches = channelsLast("batch groups of two", {4, 5, 5, 1}, {3, 3});
  batches.rhs[3] = 4;
  batches.options.batchGroups = 2;
  EXPECT_EQ(refusalOf(batches),
            "not one entry and one output channel a batch group");
  Form integers = channelsLast("i32", {1, 5, 5, 12}, {3, 3});
  integers.type = "i32";
  EXPECT_EQ(refusalOf(integers),
            "no kernel takes the operation with these types");
  // 17 x 17 products of bytes.
  Form bytes = channelsLast("bytes", {1, 20, 20, 12}, {17, 17});
  bytes.type = "i8";
  EXPECT_EQ(refusalOf(bytes,
                      [](auto context, StepSpec spec) {
                        for (TensorType &operand : spec.operands)
                          operand.element = numerics::ElementType::integer(8);
                        return makeBy(kChannelsConvolution, std::move(context),
                                      spec);
                      }),
            "f32 does not hold the sums of that many products of bytes");
}

TEST(DepthwiseConvolution, SmallOnesAreLeftAlone) {
  Form form = channelsLast("small", {1, 5, 5, 12}, {3, 3});
  // 25 positions of 12 channels, nine taps each: 2,700 products.
  auto refusal = [&](double minimum) {
    return refusalOf(form, [&](auto context, const StepSpec &spec) {
      ConvRequest request(std::move(context), spec);
      request.minimumWork = minimum;
      return makeConvolution(request);
    });
  };
  EXPECT_EQ(refusal(2700), "");
  EXPECT_EQ(refusal(2701), "the convolution is small");
}
