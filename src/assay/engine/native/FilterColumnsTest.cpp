// Filters whose output channels are apart: convolutions of them against the
// reference, and which of them are brought together before they are packed.
#include "assay/engine/native/FilterColumns.h"
#include "assay/engine/native/ConvolutionAgreement.h"

using namespace assay;
using namespace assay::engine;

/// The filter as PyTorch keeps it: [out, in, height, width].
static Form outFirst(const char *name, Dims image, int64_t in, int64_t out,
                     int64_t groups, const char *type = "f32") {
  Form form = channelsLast(name, std::move(image), {3, 3}, out, groups);
  form.rhs = {out, in, 3, 3};
  form.options.kernelOutputFeature = 0, form.options.kernelInputFeature = 1;
  form.options.kernelSpatial = {2, 3};
  form.type = type;
  return form;
}

/// The gradient of such a convolution's data: [in, out, height, width], reversed.
static Form inFirst(const char *name, Dims image, int64_t in, int64_t out,
                    int64_t groups = 1) {
  Form form = channelsLast(name, std::move(image), {3, 3}, out, groups);
  form.rhs = {in, out, 3, 3};
  form.options.kernelOutputFeature = 1, form.options.kernelInputFeature = 0;
  form.options.kernelSpatial = {2, 3};
  form.reversed = true;
  return form;
}

TEST(FilterColumns, OfEveryTypeAndOrderAgree) {
  for (const char *type : {"f32", "bf16", "f16", "f64", "i8"})
    expectAgreement(outFirst(type, {2, 7, 6, 24}, 24, 20, 1, type));
  expectAgreement(outFirst("in groups", {1, 7, 18, 60}, 20, 60, 3));
  Form form = outFirst("reversed", {2, 7, 6, 24}, 24, 20, 1);
  form.options.reversal = {true, false};
  expectAgreement(form);
  form = inFirst("gradient", {2, 7, 6, 24}, 24, 20);
  expectAgreement(form);
  form.name = "strided gradient";
  form.options.lhsDilation = {2, 2};
  expectAgreement(form);
}

/// Whether they are brought together for this layout of the filter.
static bool areTurned(const Form &form, const Layout &filter,
                      int64_t elements) {
  auto parsed = programOf(form);
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  bool turned = false;
  forEachConvolution(*parsed, [&](const StepSpec &spec) {
    auto apart = analyse({engine.context(), spec, filter});
    ASSERT_TRUE(std::holds_alternative<ChannelsLast>(apart));
    turned =
        FilterColumns::of(std::get<ChannelsLast>(apart), elements).has_value();
  });
  return turned;
}

TEST(FilterColumns, OnlyWhereTheyAreInOneBlockFarApart) {
  Form form = outFirst("plain", {2, 7, 6, 24}, 24, 20, 1);
  Layout dense{{20, 24, 3, 3}, {216, 9, 3, 1}, 0};
  EXPECT_TRUE(areTurned(form, dense, 4320));
  // A few adjacent output channels; input channels are adjacent.
  EXPECT_FALSE(areTurned(form, dense, 3996));
  EXPECT_FALSE(areTurned(form, {dense.shape, {1, 20, 1440, 480}, 0}, 4320));
  EXPECT_FALSE(areTurned(form, {dense.shape, {216, 1, 72, 24}, 0}, 4320));
  // Slices of more output channels: whole blocks of them, and not.
  EXPECT_TRUE(areTurned(form, {dense.shape, dense.strides, 4320}, 8640));
  EXPECT_FALSE(areTurned(form, {dense.shape, dense.strides, 432}, 8640));
  // One of more input channels.
  EXPECT_TRUE(areTurned(form, {dense.shape, {432, 9, 3, 1}, 0}, 8640));
  EXPECT_FALSE(areTurned(form, {dense.shape, {432, 9, 3, 1}, 432}, 8640));
  form = inFirst("gradient", {2, 7, 6, 24}, 24, 20);
  EXPECT_TRUE(
      areTurned(form, {Shape{24, 20, 3, 3}, {360, 9, 3, 1}, 180}, 8640));
  EXPECT_FALSE(
      areTurned(form, {Shape{24, 20, 3, 3}, {360, 9, 3, 1}, 90}, 8640));
}
