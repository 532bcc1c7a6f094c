// Bounds of elementwise operations on operands that are off by much, and on
// operands that are broadcast.
#include "assay/judge/program/BoundsTest.h"

using namespace assay;
using namespace assay::judge;

namespace {
struct Interval {
  double at, error;
};
} // namespace

/// The bounds of `operation` on intervals of f32: 1 +- error, an exponential
/// of stated accuracy, reduced to `at`.
static Bounds onIntervals(llvm::StringRef operation, int operands,
                          llvm::ArrayRef<Interval> first,
                          llvm::ArrayRef<Interval> second, double error) {
  std::string text, names, types;
  auto typeOf = [&](bool ofSecond) {
    return "tensor<" +
           std::to_string(ofSecond ? second.size() : first.size()) + "xf32>";
  };
  std::vector<std::vector<double>> arguments;
  for (int i = 0; i < operands; ++i) {
    std::string n = std::to_string(i), type = typeOf(i == 1);
    text += "  %e" + n + " = \"stablehlo.exponential\"(%z" + n +
            ") {assay.accuracy = array<f64: 0.0, " + std::to_string(error) +
            ">} : (" + type + ") -> " + type + "\n  %x" + n +
            " = stablehlo.subtract %e" + n + ", %c" + n + " : " + type + "\n";
    names += (i ? ", %x" : "%x") + n;
    types += (i ? ", " : "") + type;
    llvm::ArrayRef<Interval> own = i ? second : first;
    arguments.emplace_back(own.size(), 0.0);
    arguments.emplace_back();
    for (const Interval &interval : own)
      arguments.back().push_back(1 - interval.at);
  }
  std::string parameters;
  for (int i = 0; i < operands; ++i)
    parameters += std::string(i ? ", " : "") + "%z" + std::to_string(i) + ": " +
                  typeOf(i == 1) + ", %c" + std::to_string(i) + ": " +
                  typeOf(i == 1);
  std::string type = typeOf(operands > 1 && second.size() > first.size());
  return boundsOf("func.func @main(" + parameters + ") -> " + type + " {\n" +
                      text + "  %r = \"" + operation.str() + "\"(" + names +
                      ") : (" + types + ") -> " + type + "\n  return %r : " +
                      type + "\n}",
                  arguments);
}

/// The operation in f64, element by element.
static std::vector<double> inDouble(llvm::StringRef operation,
                                    const std::vector<double> &x,
                                    const std::vector<double> *y) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf64>";
  return boundsOf("func.func @main(%x: " + type + (y ? ", %y: " + type : "") +
                      ") -> " + type + " {\n  %r = \"" + operation.str() +
                      "\"(%x" + (y ? ", %y" : "") + ") : (" + type +
                      (y ? ", " + type : "") + ") -> " + type +
                      "\n  return %r : " + type + "\n}",
                  y ? std::vector<std::vector<double>>{x, *y}
                    : std::vector<std::vector<double>>{x})
      .exact[0];
}

// The effect of an operand's error, searched over its whole interval, not only
// at the ends.
TEST(Bounds, HoldAllOverAnIntervalOfTheOperand) {
  struct Row {
    const char *name;
    BoundKind kind;
  };
  const Row rows[] = {
#define ASSAY_OP_BOUND(name, kind, ulp) {name, BoundKind::kind},
#include "assay/judge/program/OpBounds.def"
  };
  const llvm::StringRef binaries =
      " stablehlo.add stablehlo.subtract stablehlo.multiply stablehlo.divide "
      "stablehlo.power stablehlo.atan2 stablehlo.maximum stablehlo.minimum "
      "stablehlo.remainder ";
  constexpr int kSteps = 12, kIntervals = 40;
  int examined = 0;
  for (const Row &row : rows)
    for (double error : {0.04, 0.7, 2.9}) {
      if ((row.kind != BoundKind::Ulp && row.kind != BoundKind::Rough &&
           row.kind != BoundKind::Pick) ||
          llvm::StringRef(row.name) == "stablehlo.clamp")
        continue;
      bool isBinary = binaries.contains((" " + llvm::Twine(row.name) + " ").str());
      std::vector<Interval> first, second;
      for (double at : numbers(kIntervals, 0.3))
        first.push_back({2 * at, error});
      for (double at : numbers(kIntervals, 0.9))
        second.push_back({2 * at, error});
      Bounds bounds =
          onIntervals(row.name, isBinary ? 2 : 1, first, second, error);
      std::vector<double> x, y;
      for (size_t k = 0; k < first.size(); ++k)
        for (int i = -kSteps; i <= kSteps; ++i)
          for (int j = isBinary ? -kSteps : 0; j <= (isBinary ? kSteps : 0);
               ++j) {
            x.push_back(first[k].at + error * i / kSteps);
            y.push_back(second[k].at + error * j / kSteps);
          }
      std::vector<double> seen = inDouble(row.name, x, isBinary ? &y : nullptr);
      size_t each = seen.size() / first.size();
      for (size_t k = 0; k < first.size(); ++k) {
        double exact = bounds.exact[0][k], bound = bounds.errors[0][k], worst = 0;
        if (!std::isfinite(exact) || std::isinf(bound))
          continue;
        for (size_t i = k * each; i < (k + 1) * each; ++i)
          worst = std::isfinite(seen[i])
                      ? std::max(worst, std::fabs(seen[i] - exact))
                      : INFINITY;
        EXPECT_LE(worst, bound * (1 + 1e-6))
            << row.name << " of " << first[k].at << ", " << second[k].at
            << " +- " << error;
        ++examined;
      }
    }
  EXPECT_GT(examined, 1500);
}

TEST(Bounds, OfOperandsThatAreBroadcastAreThoseOfRepeatedOnes) {
  // A dividend for all divisors, of which some may be 0; sizes that differ are
  // read at the element that is repeated, not beyond the end.
  constexpr double kError = 0.3;
  std::vector<Interval> one{{1.7, kError}}, repeated, divisors;
  for (double at : numbers(40, 0.9)) {
    divisors.push_back({at, kError});
    repeated.push_back(one.front());
  }
  for (const char *name : {"divide", "multiply", "add", "power", "atan2"}) {
    std::string broadcast = std::string("chlo.broadcast_") + name;
    Bounds got = onIntervals(broadcast, 2, one, divisors, kError),
           want = onIntervals(std::string("stablehlo.") + name, 2, repeated,
                              divisors, kError);
    EXPECT_EQ(got.exact[0], want.exact[0]) << name;
    EXPECT_EQ(got.errors[0], want.errors[0]) << name;
  }
}

TEST(Bounds, AComparisonOfABroadcastOperandIsDecidedElementByElement) {
  Bounds bounds = boundsOf(
      R"(func.func @main(%z: tensor<1xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
    %e = "stablehlo.exponential"(%z) {assay.accuracy = array<f64: 0.0, 0.25>} : (tensor<1xf32>) -> tensor<1xf32>
    %c = "chlo.broadcast_compare"(%e, %x) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xi1>
    %r = stablehlo.convert %c : (tensor<4xi1>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })",
      {{0}, {3, 1.1, 0.5, 0.8}});
  for (size_t k = 0; k < 4; ++k)
    EXPECT_EQ(std::isinf(bounds.errors[0][k]), k % 2 == 1) << k;
}
