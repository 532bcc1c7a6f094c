// Convolutions of images whose channels are contiguous, forward and as
// gradients of the data, in the native engine against the reference: forms by
// hand, random forms on every instruction set's types, special values, and
// what is refused.
#include "assay/engine/native/ConvolutionAgreement.h"

#include "assay/support/Random.h"

#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::engine;

/// Why there is no step for a form, or "".
static std::string refusalOf(const Form &form) {
  return refusalOf(form, [](auto context, const StepSpec &spec) {
    return makeBy(kWindowsConvolution, std::move(context), spec);
  });
}

/// By this step, and to the reference's numbers.
static void expectTaken(const Form &form) {
  EXPECT_EQ(refusalOf(form), "") << form.name;
  expectAgreement(form);
}

TEST(ChannelsLast, ForwardWithStridesDilationAndPadding) {
  expectTaken(channelsLast("plain", {2, 9, 8, 20}, {3, 3}, 40, 1));
  expectTaken(channelsLast("few channels", {1, 19, 18, 3}, {7, 7}, 24, 1));
  expectTaken(channelsLast("many channels", {1, 6, 7, 256}, {3, 3}, 33, 1));
  Form form = channelsLast("strided", {3, 11, 19, 72}, {3, 3}, 12, 1);
  form.options.strides = {2, 3};
  expectTaken(form);
  form = channelsLast("dilated", {1, 11, 9, 40}, {3, 3}, 17, 1);
  form.options.rhsDilation = {2, 3};
  form.options.padding = {{3, 1}, {0, 4}};
  expectTaken(form);
  form.options.padding = {{-1, 5}, {6, -2}};
  expectTaken(form);
  form.options.reversal = {true, false};
  expectTaken(form);
}

TEST(ChannelsLast, InPhasesWhereTheInputIsDilated) {
  Form form = channelsLast("3x3", {2, 7, 6, 20}, {3, 3}, 40, 1);
  form.options.lhsDilation = {2, 2};
  form.options.padding = {{1, 2}, {1, 2}};
  expectTaken(form);
  form.name = "uneven", form.options.lhsDilation = {3, 2};
  form.options.reversal = {true, false};
  expectTaken(form);
  form.name = "and strided", form.options.strides = {2, 3};
  expectTaken(form);
  form.name = "a stride of the same", form.options.strides = {3, 4};
  expectTaken(form);
  form = channelsLast("1x1", {2, 7, 6, 20}, {1, 1}, 9, 1);
  form.options.lhsDilation = {2, 2};
  form.options.padding = {{0, 1}, {0, 0}};
  expectTaken(form);
  form = channelsLast("few channels", {1, 9, 8, 5}, {5, 4}, 18, 1);
  form.options.lhsDilation = {2, 3};
  expectTaken(form);
  // One phase has a row less: its last piece on two threads is empty.
  form = channelsLast("a short phase", {1, 3, 39, 60}, {3, 3}, 64, 4);
  form.options.lhsDilation = {2, 2};
  form.options.padding = {{0, 2}, {0, 2}};
  expectTaken(form);
}

TEST(ChannelsLast, OneAndThreeDimensions) {
  Form line = channelsLast("1d", {2, 300, 18}, {5}, 24, 1);
  line.options.strides = {2};
  expectTaken(line);
  // A row that is computed in parts.
  expectTaken(channelsLast("long", {1, 3000, 64}, {9}, 16, 1));
  Form solid = channelsLast("3d", {2, 4, 5, 6, 10}, {2, 3, 3}, 20, 1);
  solid.options.strides = {1, 2, 1};
  expectTaken(solid);
  solid.options.lhsDilation = {2, 1, 2};
  expectTaken(solid);
  // Planes and rows that are computed in parts.
  expectTaken(channelsLast("large", {1, 40, 50, 96}, {3, 3}, 8, 1));
  expectTaken(channelsLast("large, 3d", {1, 6, 30, 20, 64}, {3, 1, 3}, 8, 1));
}

TEST(ChannelsLast, Groups) {
  expectTaken(channelsLast("12 to 12", {2, 9, 8, 48}, {3, 3}, 48, 4));
  expectTaken(channelsLast("4 to 4", {2, 9, 18, 24}, {3, 3}, 24, 6));
  expectTaken(channelsLast("3 to 1", {2, 9, 18, 24}, {3, 3}, 8, 8));
  expectTaken(channelsLast("16 to 40", {2, 5, 8, 32}, {1, 1}, 80, 2));
  Form form = channelsLast("9 to 16, strided", {2, 9, 18, 36}, {3, 3}, 64, 4);
  form.options.strides = {2, 2};
  expectTaken(form);
  form.options.lhsDilation = {2, 2};
  form.options.strides = {1, 1};
  expectTaken(form);
}

TEST(ChannelsLast, FiltersOfAnyOrderAndImagesOfAny) {
  Form form =
      channelsLast("out, in, height, width", {2, 7, 6, 24}, {3, 2}, 20, 1);
  form.rhs = {20, 24, 3, 2};
  form.options.kernelOutputFeature = 0, form.options.kernelInputFeature = 1;
  form.options.kernelSpatial = {2, 3};
  expectTaken(form);
  form = channelsLast("height, width, batch, channels", {7, 6, 2, 24}, {3, 2},
                      18, 1);
  form.options.inputBatch = 2, form.options.inputSpatial = {0, 1};
  expectTaken(form);
  form.options.outputBatch = 2, form.options.outputSpatial = {1, 0};
  expectTaken(form);
}

/// As JAX writes gradients of the data: the filter turned round by an operation
/// of its own, which becomes part of the step.
TEST(ChannelsLast, ReversedFilterIsReadInPlace) {
  Form form = channelsLast("gradient", {2, 9, 8, 20}, {3, 3}, 12, 1);
  form.rhs = {12, 20, 3, 3};
  form.options.kernelOutputFeature = 0, form.options.kernelInputFeature = 1;
  form.options.kernelSpatial = {2, 3};
  form.reversed = true; // dimensions 2 and 3
  form.options.lhsDilation = {2, 2};
  expectAgreement(form);
}

TEST(ChannelsLast, OtherTypes) {
  Form form = channelsLast("f64", {2, 9, 8, 21}, {3, 3}, 13, 1);
  form.type = "f64";
  expectTaken(form);
  form.options.lhsDilation = {2, 1};
  expectTaken(form);
  for (const char *type : {"bf16", "f16"})
    for (const char *result : {type, "f32"}) {
      form.name = form.type = type, form.result = result;
      expectTaken(form);
    }
  // Bytes that the program widens: the step reads the bytes.
  form.result = nullptr;
  for (int64_t inputs : {20, 3})
    for (const char *type : {"i8", "ui8"}) {
      form = channelsLast(type, {2, 9, 8, inputs}, {3, 3}, 13, 1);
      form.type = type;
      form.options.lhsDilation = {2, 1};
      expectAgreement(form);
    }
}

TEST(ChannelsLast, RandomForms) {
  CounterRandom random(15, 2);
  uint64_t at = 0;
  auto draw = [&](int64_t low, int64_t high) {
    return random.integer(at++, low, high);
  };
  for (int n = 0; n < 90; ++n) {
    int64_t groups = draw(0, 2) ? 1 : draw(2, 3);
    Form form = channelsLast(
        "drawn", {draw(1, 3), draw(1, 20), draw(4, 40), groups * draw(9, 70)},
        {draw(1, 5), draw(2, 5)}, groups * draw(16, 50), groups);
    form.type = draw(0, 2) ? "f32" : "bf16";
    Convolution &o = form.options;
    o.strides = {draw(1, 3), draw(1, 3)};
    o.rhsDilation = {draw(1, 3), draw(1, 2)};
    if (draw(0, 1) == 0)
      o.lhsDilation = {draw(1, 3), draw(1, 3)};
    // The window fits at least once.
    for (size_t d = 0; d < 2; ++d)
      o.padding[d] = {draw(0, 3) + o.rhsDilation[d] * (form.rhs[d] - 1),
                      draw(0, 3)};
    expectAgreement(form);
  }
}

/// Zeros are multiplied in the reference, those of the padding and those
/// between the input's elements: an infinite weight makes NaN of them.
TEST(ChannelsLast, InfinityAndNaNGoWhereTheReferencePutsThem) {
  for (bool dilated : {false, true})
    for (bool inFilter : {false, true}) {
      Form form = channelsLast("special", {1, 6, 7, 20}, {3, 3}, 24, 1);
      if (dilated)
        form.options.lhsDilation = {2, 3};
      SCOPED_TRACE(dilated ? "dilated" : "dense");
      std::vector<Tensor> arguments = argumentsOf(form);
      float *image = arguments[0].mutableData<float>(),
            *filter = arguments[1].mutableData<float>();
      image[5] = kInfinity, image[127] = -kInfinity, image[300] = std::nanf("");
      if (inFilter)
        filter[0] = kInfinity, filter[1500] = -kInfinity,
        filter[2500] = std::nanf("");
      auto [special, finite] = expectSameSpecials(form, arguments);
      EXPECT_GT(special, 50);
      EXPECT_GT(finite, 50);
    }
}

/// Rows of a window of three channels, 15 and 21 elements, are multiplied in pairs:
/// the elements after them have no influence, whatever they are.
TEST(ChannelsLast, ElementsAfterARowOfTheWindowDoNotCount) {
  for (int64_t columns : {5, 7}) {
    Form form = channelsLast("behind", {2, 12, 40, 3}, {3, columns}, 40, 1);
    form.type = "bf16", form.result = "f32";
    form.options.padding = {{1, 1}, {2, 0}};
    std::vector<Tensor> arguments = argumentsOf(form);
    std::byte *image = arguments[0].mutableBytes();
    for (int64_t at : {0, 119, 700, 1439, 1440, 2001}) {
      const uint16_t kInfinity = 0x7f80, kNaN = 0x7fc0;
      std::memcpy(image + 2 * at, at % 2 ? &kNaN : &kInfinity, 2);
    }
    auto [special, finite] = expectSameSpecials(form, arguments);
    EXPECT_GT(special, 50);
    EXPECT_GT(finite, 50);
  }
}

/// Weights are packed once, and again for others.
TEST(ChannelsLast, WeightsThatStayArePackedOnce) {
  Form form = channelsLast("weights", {2, 9, 8, 20}, {3, 3}, 40, 1);
  auto parsed = programOf(form);
  auto rest = std::make_shared<reference::ReferenceCompiler>();
  NativeEngine engine("native", rest);
  PlanRequest request;
  request.keepsArguments = true;
  auto plan = llvm::cantFail(engine.makePlan(parsed, request));
  auto plain = llvm::cantFail(program::buildPlan(parsed, *rest, {}));
  std::vector<Tensor> arguments = argumentsOf(form);
  auto expectEqual = [&] {
    int64_t steps = 0;
    Tensor expected = execute(*plain, arguments, 1, steps),
           got = execute(*plan, arguments, 2, steps);
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(std::memcmp(got.bytes(), expected.bytes(),
                          static_cast<size_t>(got.denseBytes())),
              0);
  };
  expectEqual();
  expectEqual();
  EXPECT_EQ(engine.context()->packings, 1);
  arguments[1] =
      filled({arguments[1].elementType(), Shape(arguments[1].shape())}, 8);
  expectEqual();
  EXPECT_EQ(engine.context()->packings, 2);
}

TEST(ChannelsLast, RefusesWithAReason) {
  Form form = channelsLast("as it should be", {1, 5, 5, 12}, {3, 3}, 16, 1);
  EXPECT_EQ(refusalOf(form), "");
  form.options.lhsDilation = {66, 1};
  form.options.padding = {{3, 3}, {3, 3}};
  EXPECT_EQ(refusalOf(form), "more than 64 phases");
  form = channelsLast("1x1", {1, 5, 5, 12}, {1, 1}, 16, 1);
  EXPECT_EQ(refusalOf(form), "a window of one element is a product of rows");
  form = channelsLast("narrow", {1, 5, 3, 12}, {3, 3}, 16, 1);
  EXPECT_EQ(refusalOf(form), "rows of few positions");
  form = channelsLast("far padding", {1, 5, 5, 12}, {3, 3}, 16, 1);
  form.options.rhsDilation = {1, 300000};
  form.options.padding = {{1, 1}, {600000, 3}};
  EXPECT_EQ(refusalOf(form), "a row of windows sees more than 16 MiB");
  Form planar{"planar", {2, 16, 9, 7}, {40, 16, 3, 3}, windows({1, 1}, 1)};
  EXPECT_EQ(refusalOf(planar), "channels do not lie side by side");
  form = channelsLast("4d", {1, 2, 3, 4, 5, 12}, {1, 2, 2, 2}, 16, 1);
  EXPECT_EQ(refusalOf(form), "not one to three spatial dimensions");
  form = channelsLast("batch groups", {2, 5, 5, 12}, {3, 3}, 16, 1);
  form.options.batchGroups = 2;
  EXPECT_EQ(refusalOf(form), "batch groups");
  form = channelsLast("a window of 66,049", {1, 300, 300, 2}, {257, 257}, 2, 1);
  EXPECT_EQ(refusalOf(form), "the window has more than 65,536 elements");
}
