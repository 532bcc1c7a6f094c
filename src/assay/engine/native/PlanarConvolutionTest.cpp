// Convolutions of planar tensors in the native engine against the reference, in
// every form that its three ways support.
#include "assay/engine/native/ConvolutionAgreement.h"

#include <cmath>

using namespace assay;
using namespace assay::engine;

TEST(PlanarConvolution, ForwardWithGroupsStridesAndDilation) {
  expectAgreement({"plain", {2, 3, 9, 8}, {5, 3, 3, 2}, windows({1, 1}, 1)});
  expectAgreement({"strided", {3, 4, 11, 9}, {6, 4, 3, 3}, windows({2, 3}, 2)});
  expectAgreement(
      {"dilated", {1, 4, 11, 9}, {6, 4, 3, 3}, windows({1, 1}, 3, {2, 3})});
  expectAgreement(
      {"pointwise", {3, 4, 5, 7}, {6, 4, 1, 1}, windows({1, 1}, 0)});
  expectAgreement({"padded beyond the input",
                   {1, 2, 2, 2},
                   {3, 2, 2, 2},
                   windows({1, 1}, 4)});
  Form depthwise{"depthwise", {2, 6, 7, 7}, {6, 1, 3, 3}, windows({1, 1}, 1)};
  depthwise.options.featureGroups = 6;
  expectAgreement(depthwise);
  Form grouped{"grouped", {3, 6, 7, 7}, {8, 3, 3, 3}, windows({2, 2}, 1)};
  grouped.options.featureGroups = 2;
  expectAgreement(grouped);
}

TEST(PlanarConvolution, BlocksOfLinesOfALargePlane) {
  expectAgreement(
      {"large", {1, 24, 120, 130}, {9, 24, 3, 3}, windows({1, 1}, 1)});
}

TEST(PlanarConvolution, DilatedInputsAreFolded) {
  for (bool reversed : {false, true}) {
    Form form{"dilated input", {2, 4, 5, 6}, {3, 4, 3, 3}, windows({1, 1}, 2)};
    form.options.lhsDilation = {2, 3};
    form.reversed = reversed;
    expectAgreement(form);
    form.options.featureGroups = 2;
    form.lhs = {2, 8, 5, 6};
    form.rhs = {6, 4, 3, 3};
    form.options.rhsDilation = {2, 1};
    expectAgreement(form);
    form.options.padding = {{-1, 0}, {0, -2}};
    expectAgreement(form);
  }
}

/// Folding skips the zeros between the input's elements and around them; a
/// factor that is not finite makes NaN of each.
TEST(PlanarConvolution, ZerosThatFoldingLeavesOutMeetTheWholeFilter) {
  for (bool reversed : {false, true})
    for (float factor : {kInfinity, -kInfinity, std::nanf("")}) {
      SCOPED_TRACE(factor);
      Form form{"special", {2, 8, 5, 6}, {6, 4, 3, 3}, windows({1, 1}, 2)};
      form.options.lhsDilation = {2, 3};
      form.options.featureGroups = 2;
      form.reversed = reversed;
      std::vector<Tensor> arguments = argumentsOf(form);
      arguments[0].mutableData<float>()[37] = kInfinity;
      arguments[1].mutableData<float>()[100] = factor;
      auto [special, finite] = expectSameSpecials(form, arguments);
      EXPECT_GT(special, 100);
      EXPECT_GT(finite, 500);
    }
}

TEST(PlanarConvolution, FiltersAreReadInPlace) {
  // Out and in features exchanged and the taps reversed: a gradient of the data.
  Form form{"gradient", {2, 7, 6, 6}, {7, 4, 3, 3}, windows({1, 1}, 1)};
  form.options.kernelInputFeature = 0;
  form.options.kernelOutputFeature = 1;
  form.reversed = true;
  expectAgreement(form);
  form.reversed = false;
  expectAgreement(form);
  form.options.reversal = {true, true};
  expectAgreement(form);
  form.options.reversal = {true, false};
  expectAgreement(form);
  form.options.strides = {2, 1};
  expectAgreement(form);
}

TEST(PlanarConvolution, FeaturesThatComeFirstAreAddedUp) {
  // src [mb, ic, ...] and diff_dst [mb, oc, ...]: a gradient of the filter.
  for (int64_t groups : {1, 2})
    for (bool outFirst : {false, true}) {
      Form form{"filter", {3, 4, 7, 7}, {3, 6, 7, 7}, windows({1, 1}, 1)};
      form.options.inputBatch = 1, form.options.inputFeature = 0;
      form.options.kernelInputFeature = 0, form.options.kernelOutputFeature = 1;
      if (outFirst)
        form.options.outputBatch = 1, form.options.outputFeature = 0;
      form.options.batchGroups = groups;
      expectAgreement(form);
    }
  Form pointwise{"pointwise", {3, 4, 7, 7}, {3, 6, 7, 7}, windows({1, 1}, 0)};
  pointwise.options.inputBatch = 1, pointwise.options.inputFeature = 0;
  pointwise.options.kernelInputFeature = 0;
  pointwise.options.kernelOutputFeature = 1;
  expectAgreement(pointwise);
}

TEST(PlanarConvolution, GradientOfTheFilterOfOneInput) {
  for (int64_t entries : {1, 3})
    for (bool reversed : {false, true}) {
      Form form{"one input", {entries, 1, 60, 40}, {entries, 7, 19, 13}, {}};
      Convolution &o = form.options;
      o.inputBatch = 1, o.inputFeature = 0;
      o.kernelInputFeature = 0, o.kernelOutputFeature = 1;
      o.outputBatch = 1, o.outputFeature = 0;
      o.rhsDilation = {3, 3};
      o.padding = {{2, 1}, {2, 3}};
      form.reversed = reversed;
      expectAgreement(form);
    }
}

TEST(PlanarConvolution, OneAndThreeDimensions) {
  Form line{"1d", {2, 4, 30}, {6, 4, 5}, {}};
  line.options.strides = {2};
  line.options.padding = {{3, 2}};
  expectAgreement(line);
  Form solid{"3d", {2, 3, 4, 5, 6}, {4, 3, 2, 3, 3}, {}};
  solid.options.strides = {1, 2, 1};
  solid.options.padding = {{1, 0}, {1, 1}, {0, 1}};
  expectAgreement(solid);
}

TEST(PlanarConvolution, OtherTypes) {
  Form form{"f64", {2, 4, 7, 7}, {6, 4, 3, 3}, windows({1, 1}, 1)};
  form.type = "f64";
  expectAgreement(form);
  // Bytes that the program widens: the conversions are not executed.
  form.type = "i8";
  expectAgreement(form);
  form.options.lhsDilation = {2, 2};
  form.reversed = true;
  expectAgreement(form);
}
