// reduce_window by rows in the native engine against the reference: extremes
// and sums, types, widths, padding, dilation, signed zeros and NaN.
#include "assay/engine/native/NativeAgreement.h"

#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::engine;

namespace {
struct Window {
  const char *sizes = "1, 3, 3, 1", *strides = "1, 2, 1, 1",
             *padding = "[[0, 0], [1, 1], [2, 1], [0, 0]]", *dilation = "1, 1, 1, 1",
             *base = "1, 1, 1, 1";
  int64_t rows = 5, columns = 9; ///< of the result
};
} // namespace

/// An image of two entries of 9 x 8 positions, pooled.
static std::string pooled(const std::string &op, const std::string &type,
                          int64_t channels, const Window &w = {},
                          const std::string &before = "") {
  std::string image = llvm::formatv("tensor<2x9x8x{0}x{1}>", channels, type),
              out = llvm::formatv("tensor<2x{0}x{1}x{2}x{3}>", w.rows, w.columns,
                                  channels, type),
              scalar = "tensor<" + type + ">";
  return "func.func @main(%x: " + image + ", %i: " + scalar + ") -> " + out + " {\n" +
         (before.empty() ? "" : "  %k = stablehlo.constant dense<0.0> : " + image + "\n  " + before + " : " + image + "\n") +
         "  %0 = \"stablehlo.reduce_window\"(" + (before.empty() ? "%x" : "%y") +
         ", %i) <{window_dimensions = array<i64: " + w.sizes +
         ">, window_strides = array<i64: " + w.strides +
         ">, window_dilations = array<i64: " + w.dilation +
         ">, base_dilations = array<i64: " + w.base + ">, padding = dense<" + w.padding +
         "> : tensor<4x2xi64>}> ({\n  ^bb0(%p: " + scalar + ", %q: " + scalar +
         "):\n    %m = stablehlo." + op + " %p, %q : " + scalar +
         "\n    stablehlo.return %m : " + scalar + "\n  }) : (" + image + ", " + scalar +
         ") -> " + out + "\n  return %0 : " + out + "\n}";
}

TEST(Pool, RowsOfEveryWidth) {
  for (const char *op : {"maximum", "minimum", "add"})
    for (int64_t channels : {8, 15, 16, 17, 63, 64, 100, 131})
      expectAgreement(pooled(op, "f32", channels).c_str(), 1);
}

TEST(Pool, OtherTypes) {
  for (const char *op : {"maximum", "minimum"})
    for (const char *type : {"f64", "bf16", "i32", "ui8"})
      expectAgreement(pooled(op, type, 24).c_str(), 1);
}

TEST(Pool, DilatedWindowsAndImages) {
  Window window;
  window.dilation = "1, 2, 3, 1", window.rows = 4, window.columns = 5;
  for (const char *op : {"maximum", "minimum", "add"}) {
    expectAgreement(pooled(op, "f32", 70, window).c_str(), 1);
    Window image;
    image.base = "1, 2, 1, 1", image.rows = 9;
    expectAgreement(pooled(op, "f32", 70, image).c_str(), 1);
    Window batch;
    batch.sizes = "2, 1, 2, 1", batch.padding = "[[1, 0], [0, 0], [0, 0], [0, 0]]";
    batch.columns = 7;
    expectAgreement(pooled(op, "f32", 20, batch).c_str(), 1);
  }
}

/// NaN in place of negative numbers (of either sign), and zeros of both signs,
/// compared bit by bit.
TEST(Pool, NaNAndSignedZeros) {
  for (const char *op : {"maximum", "minimum"})
    for (int64_t channels : {9, 70}) {
      expectAgreement(pooled(op, "f32", channels, {}, "%y = stablehlo.sqrt %x").c_str(),
                      1, -1, 1e-6f);
      expectAgreement(
          pooled(op, "f32", channels, {}, "%y = stablehlo.multiply %x, %k").c_str(), 1);
    }
}
