// Gradients of images of few channels: which are computed in planes, and that they
// are those of the reference.
#include "assay/engine/native/FewChannels.h"

#include "assay/dialect/Stablehlo.h"
#include "assay/engine/native/NativeAgreement.h"
#include "mlir/IR/Verifier.h"

using namespace assay;
using namespace assay::engine;

/// A single convolution, channels last, of these types and this window: whether its
/// program becomes one in planes. Its result is compared with the reference's.
static bool goesIntoPlanes(const std::string &image, const std::string &filter,
                           const std::string &result, const std::string &form,
                           const std::string &space = "0, 1",
                           int64_t steps = 1) {
  std::string of = "tensor<" + image + ">", by = "tensor<" + filter + ">",
              to = "tensor<" + result + ">";
  std::string text =
      "func.func @main(%y: " + of + ", %w: " + by + ") -> " + to +
      " {\n%0 = stablehlo.convolution(%y, %w) dim_numbers = [b, " + space +
      ", f]x[" + space + ", o, i]->[b, " + space + ", f], window = {" + form +
      "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" +
      of + ", " + by + ") -> " + to + "\nreturn %0 : " + to + "\n}";
  expectAgreement(text.c_str(), steps);
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  moveFewChannelsIntoPlanes(program->module());
  EXPECT_TRUE(mlir::succeeded(mlir::verify(program->module())));
  int transposes = 0;
  program->module().walk([&](stablehlo::TransposeOp) { ++transposes; });
  EXPECT_TRUE(transposes == 0 || transposes == 2);
  return transposes != 0;
}

TEST(FewChannels, GradientsOfStridedFirstLayersGoIntoPlanes) {
  const char *form = "pad = [[2, 3], [3, 2]], lhs_dilate = [2, 2], "
                     "reverse = [true, true]";
  // A stem; one and three dimensions.
  EXPECT_TRUE(goesIntoPlanes("2x20x18x24xf32", "5x5x3x24xf32",
                             "2x40x36x3xf32", form));
  EXPECT_TRUE(goesIntoPlanes("2x500x16xf32", "79x1x16xf32", "2x1997x1xf32",
                             "pad = [[39, 39]], lhs_dilate = [4]", "0"));
  EXPECT_TRUE(goesIntoPlanes("1x9x10x10x40xf32", "2x2x2x4x40xf32",
                             "1x18x20x20x4xf32",
                             "pad = [[1, 1], [1, 1], [1, 1]], lhs_dilate = [2, "
                             "2, 2], reverse = [true, true, true]",
                             "0, 1, 2"));
  for (std::string type : {"bf16", "f16"})
    EXPECT_TRUE(goesIntoPlanes("2x20x18x24x" + type, "5x5x3x24x" + type,
                               "2x40x36x3x" + type, form, "0, 1",
                               /*steps, a conversion counted:*/ 2));
  // Another type, more channels, hardly any work, no zeros between elements.
  EXPECT_FALSE(goesIntoPlanes("2x20x18x24xf64", "5x5x3x24xf64",
                              "2x40x36x3xf64", form));
  EXPECT_FALSE(goesIntoPlanes("2x20x18x24xf32", "5x5x5x24xf32",
                              "2x40x36x5xf32", form));
  EXPECT_FALSE(
      goesIntoPlanes("1x6x5x24xf32", "5x5x3x24xf32", "1x12x10x3xf32", form));
  EXPECT_FALSE(goesIntoPlanes("2x20x18x24xf32", "5x5x3x24xf32",
                              "2x20x18x3xf32", "pad = [[2, 2], [2, 2]]"));
}
