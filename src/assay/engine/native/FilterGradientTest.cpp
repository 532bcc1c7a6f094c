// Gradients of filters whose channels lie last (image [n, h, w, c], gradient
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
      gradientOf("3x3", {2, 9, 8, 6}, {2, 9, 8, 10}, {1, 1}, {1, 1}, 1));
  expectAgreement(
      gradientOf("strided", {3, 11, 9, 5}, {3, 6, 3, 7}, {2, 3}, {1, 1}, 1));
  expectAgreement(
      gradientOf("dilated", {1, 12, 11, 4}, {1, 12, 11, 9}, {1, 1}, {2, 1}, 2));
  expectAgreement(
      gradientOf("pointwise", {3, 5, 7, 20}, {3, 5, 7, 6}, {1, 1}, {1, 1}, 0));
  expectAgreement(gradientOf("pointwise, strided", {3, 6, 7, 20}, {3, 3, 4, 6},
                             {2, 2}, {1, 1}, 0));
  expectAgreement(gradientOf("1d", {2, 40, 3}, {2, 18, 8}, {2}, {1}, 1));
  expectAgreement(gradientOf("3d", {2, 4, 5, 6, 3}, {2, 4, 5, 6, 4}, {1, 1, 1},
                             {1, 1, 1}, 1));
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

TEST(FilterGradient, OtherTypes) {
  Form form = gradientOf("f64", {2, 9, 8, 6}, {2, 9, 8, 10}, {1, 1}, {1, 1}, 1);
  form.type = "f64";
  expectAgreement(form);
  form.name = form.type = "bf16", form.result = "f32";
  expectAgreement(form);
}
