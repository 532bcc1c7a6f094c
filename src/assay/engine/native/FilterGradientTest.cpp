// Gradients of filters whose channels come last (image [n, h, w, c], gradient
// [n, oh, ow, o], filter [kh, kw, c, o]) in the native engine against the
// reference.
#include "assay/engine/native/ConvolutionAgreement.h"

using namespace assay;
using namespace assay::engine;

/// `strides`, `dilation`: those of the forward convolution.
static Form gradientOf(const char *name, Dims image, Dims result, Dims strides,
                       Dims dilation, int64_t pad, int64_t groups = 1) {
  Form form{name, image, result, {}};
  auto rank = static_cast<int64_t>(strides.size());
  Convolution &o = form.options;
  o.strides = dilation, o.rhsDilation = strides;
  o.inputFeature = o.kernelInputFeature = 0;
  o.inputBatch = o.kernelOutputFeature = rank + 1;
  o.outputBatch = rank, o.outputFeature = rank + 1;
  o.batchGroups = groups;
  for (int64_t d = 0; d < rank; ++d) {
    o.inputSpatial.push_back(d + 1);
    o.kernelSpatial.push_back(d + 1);
    o.outputSpatial.push_back(d);
    o.padding.push_back({pad, pad});
  }
  return form;
}

TEST(FilterGradient, OfAnyWindowIsOneStep) {
  expectAgreement(
      gradientOf("3x3", {2, 9, 8, 12}, {2, 9, 8, 10}, {1, 1}, {1, 1}, 1));
  expectAgreement(
      gradientOf("strided", {3, 11, 9, 11}, {3, 6, 3, 7}, {2, 3}, {1, 1}, 1));
  expectAgreement(gradientOf("dilated", {1, 12, 11, 10}, {1, 12, 11, 9}, {1, 1},
                             {2, 1}, 2));
  expectAgreement(
      gradientOf("pointwise", {3, 5, 7, 20}, {3, 5, 7, 6}, {1, 1}, {1, 1}, 0));
  expectAgreement(gradientOf("pointwise, strided", {3, 6, 7, 20}, {3, 3, 4, 6},
                             {2, 2}, {1, 1}, 0));
  expectAgreement(gradientOf("1d", {2, 40, 9}, {2, 18, 8}, {2}, {1}, 1));
  expectAgreement(gradientOf("3d", {2, 4, 5, 6, 9}, {2, 4, 5, 6, 4}, {1, 1, 1},
                             {1, 1, 1}, 1));
}

TEST(FilterGradient, OfAnImageOfFewChannels) {
  // Taps of a row side by side; apart; a result of several panels and tiles.
  expectAgreement(
      gradientOf("3x3", {2, 9, 8, 6}, {2, 9, 8, 10}, {1, 1}, {1, 1}, 1));
  expectAgreement(
      gradientOf("strided", {3, 11, 9, 5}, {3, 6, 3, 7}, {2, 3}, {1, 1}, 1));
  expectAgreement(
      gradientOf("dilated", {1, 12, 11, 4}, {1, 12, 11, 9}, {1, 1}, {2, 1}, 2));
  expectAgreement(
      gradientOf("apart", {1, 11, 12, 4}, {1, 11, 12, 9}, {1, 1}, {1, 2}, 2));
  expectAgreement(
      gradientOf("7x7", {2, 30, 29, 3}, {2, 15, 15, 70}, {2, 2}, {1, 1}, 3));
  expectAgreement(gradientOf("1d", {2, 40, 3}, {2, 18, 8}, {2}, {1}, 1));
  expectAgreement(gradientOf("3d", {2, 4, 5, 6, 3}, {2, 4, 5, 6, 4}, {1, 1, 1},
                             {1, 1, 1}, 1));
  Form narrow =
      gradientOf("bf16", {2, 30, 29, 3}, {2, 15, 15, 70}, {2, 2}, {1, 1}, 3);
  narrow.type = "bf16";
  expectAgreement(narrow);
}

/// An image with more channels and long lines; the rows of the window are divided where
/// there are fewer panels than threads and fewer rows than threads.
TEST(FilterGradient, OfAnImageOfMoreChannelsInPlace) {
  expectAgreement(
      gradientOf("one panel", {2, 9, 20, 24}, {2, 9, 20, 16}, {1, 1}, {1, 1}, 1));
  expectAgreement(
      gradientOf("1x3", {2, 9, 20, 30}, {2, 9, 18, 7}, {1, 1}, {1, 1}, 0));
  expectAgreement(
      gradientOf("strided", {1, 31, 29, 70}, {1, 16, 15, 33}, {2, 2}, {1, 1}, 1));
  expectAgreement(gradientOf("1d", {2, 40, 50}, {2, 26, 20}, {1}, {1}, 0));
  expectAgreement(gradientOf("3d", {1, 4, 5, 16, 32}, {1, 4, 5, 16, 40}, {1, 1, 1},
                             {1, 1, 1}, 1));
}

/// In planes (NCHW) they are brought into that order, where vectors are wide enough.
TEST(FilterGradient, OfAnImageInPlanes) {
  bool isWide = kernels::Machine::detect().isa.vectorBytes == 64;
  auto planes = [](Dims image, Dims gradient) {
    Form form{"planes", image, gradient, {}};
    Convolution &o = form.options;
    o.inputBatch = o.kernelOutputFeature = o.outputBatch = 1;
    o.inputFeature = o.kernelInputFeature = o.outputFeature = 0;
    o.inputSpatial = o.kernelSpatial = o.outputSpatial = {2, 3};
    o.padding = {{1, 1}, {1, 1}};
    return form;
  };
  for (auto [form, moves] :
       {std::pair{planes({2, 20, 9, 20}, {2, 24, 9, 20}), isWide},
        std::pair{planes({2, 20, 9, 10}, {2, 24, 9, 10}), false},    // short lines
        std::pair{planes({2, 20, 9, 20}, {2, 24, 10, 21}), false},   // four taps
        std::pair{planes({2, 1, 9, 20}, {2, 24, 9, 20}), false},     // one channel
        std::pair{planes({1, 257, 9, 20}, {1, 24, 9, 20}), false}}) { // many
    auto [plain, plan] = plansOf(form);
    EXPECT_EQ(plan->stepCount() > 1, moves) << testing::PrintToString(form.lhs);
    int64_t steps = 0;
    std::vector<Tensor> arguments = argumentsOf(form);
    Tensor expected = execute(*plain, arguments, 1, steps);
    for (int threads : {1, 2, 5}) {
      Tensor got = execute(*plan, arguments, threads, steps);
      EXPECT_GE(steps, 1) << "not by a kernel";
      EXPECT_EQ(std::memcmp(got.bytes(), expected.bytes(),
                            static_cast<size_t>(got.denseBytes())),
                0);
    }
  }
}

TEST(FilterGradient, InGroupsAndInBlocks) {
  expectAgreement(gradientOf("groups", {2, 9, 8, 6}, {2, 9, 8, 15}, {1, 1},
                             {1, 1}, 1, /*groups=*/3));
  expectAgreement(gradientOf("groups, pointwise", {2, 4, 5, 8}, {2, 4, 5, 12},
                             {1, 1}, {1, 1}, 0, /*groups=*/4));
  // More columns than are gathered together, and several blocks of rows.
  expectAgreement(
      gradientOf("wide", {1, 9, 8, 400}, {1, 9, 8, 12}, {1, 1}, {1, 1}, 1));
  expectAgreement(
      gradientOf("long", {2, 60, 50, 40}, {2, 60, 50, 5}, {1, 1}, {1, 1}, 1));
}

TEST(FilterGradient, GroupsOfAFewChannels) {
  expectAgreement(gradientOf("16 to 16", {2, 9, 8, 64}, {2, 9, 8, 64}, {1, 1},
                             {1, 1}, 1, /*groups=*/4));
  expectAgreement(gradientOf("4 to 8, strided", {3, 11, 9, 12}, {3, 6, 3, 24},
                             {2, 3}, {1, 1}, 1, /*groups=*/3));
  expectAgreement(gradientOf("40 to 20, dilated", {1, 12, 11, 80},
                             {1, 12, 11, 40}, {1, 1}, {2, 1}, 2,
                             /*groups=*/2));
  expectAgreement(gradientOf("1d", {2, 40, 6}, {2, 18, 34}, {2}, {1}, 1,
                             /*groups=*/2));
  Form solid = gradientOf("3d", {2, 4, 5, 6, 6}, {2, 4, 5, 6, 8}, {1, 1, 1},
                          {1, 1, 1}, 1, /*groups=*/2);
  expectAgreement(solid);
  solid.type = "f64";
  expectAgreement(solid);
  solid.type = "bf16", solid.result = "f32";
  expectAgreement(solid);
  // Padding far beyond the image is not made.
  Form far = gradientOf("far", {1, 9, 8, 6}, {1, 9, 1, 6}, {1, 1}, {1, 300000},
                        0, /*groups=*/3);
  far.options.padding = {{0, 0}, {600000, 0}};
  expectAgreement(far);
}

/// The padding's zeros are multiplied by the gradient, also by an infinite one.
TEST(FilterGradient, InfinityAndNaNGoWhereTheReferencePutsThem) {
  Form form = gradientOf("special", {2, 9, 8, 32}, {2, 9, 8, 32}, {1, 1},
                         {1, 1}, 1, /*groups=*/2);
  std::vector<Tensor> arguments = argumentsOf(form);
  arguments[0].mutableData<float>()[40] = -kInfinity;
  arguments[1].mutableData<float>()[3] = kInfinity;
  arguments[1].mutableData<float>()[1000] = std::nanf("");
  auto [special, finite] = expectSameSpecials(form, arguments);
  EXPECT_GT(special, 50);
  EXPECT_GT(finite, 50);
}

TEST(FilterGradient, OtherTypes) {
  Form form = gradientOf("f64", {2, 9, 8, 6}, {2, 9, 8, 10}, {1, 1}, {1, 1}, 1);
  form.type = "f64";
  expectAgreement(form);
  form.name = form.type = "bf16", form.result = "f32";
  expectAgreement(form);
}

/// Blocks of positions are added up in f32 and rounded once.
TEST(FilterGradient, ResultsOfANarrowTypeAreRoundedOnce) {
  auto refusal = [](const Form &form) {
    return refusalOf(form, [](auto context, const StepSpec &spec) -> Compiled {
      Compiled made = makeBy(kGroupColumnsConvolution, context, spec);
      if (std::holds_alternative<Refusal>(made))
        made = makeBy(kColumnsConvolution, context, spec);
      return made;
    });
  };
  for (Form form :
       {gradientOf("long", {2, 60, 50, 40}, {2, 60, 50, 20}, {1, 1}, {1, 1}, 1),
        gradientOf("pointwise", {3, 5, 7, 20}, {3, 5, 7, 6}, {1, 1}, {1, 1}, 0),
        gradientOf("groups", {2, 9, 8, 64}, {2, 9, 8, 64}, {1, 1}, {1, 1}, 1,
                   /*groups=*/4)})
    for (const char *type : {"bf16", "f16"}) {
      form.type = type;
      EXPECT_EQ(refusal(form), "") << form.name;
      expectAgreement(form);
    }
  Form few = gradientOf("groups of a few", {2, 9, 8, 12}, {2, 9, 8, 12}, {1, 1},
                        {1, 1}, 1, /*groups=*/3);
  few.type = "bf16";
  EXPECT_EQ(refusal(few), "");
  expectAgreement(few);
  // A product for each group, of a few rows: not in 16 bits.
  few = gradientOf("few by many", {2, 9, 8, 12}, {2, 9, 8, 156}, {1, 1}, {1, 1}, 1,
                   /*groups=*/3);
  few.type = "bf16";
  EXPECT_EQ(refusal(few), "groups of fewer than 16 channels, in 16 bits or bytes");
  expectAgreement(few);
}
