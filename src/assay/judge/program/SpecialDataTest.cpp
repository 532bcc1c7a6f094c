// The places of special numbers in hand-written programs, and their effect:
// kernels that lose them fail, and open results pass with either value.
#include "assay/judge/program/SpecialData.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/judge/program/ProgramJudge.h"

#include "gtest/gtest.h"

#include <cfloat>
#include <cmath>
#include <cstring>

using namespace assay;
using namespace assay::judge;
using tensor::Tensor;
using SharedProgram = std::shared_ptr<const program::Program>;
using Floats = std::vector<float>;

static constexpr float kInf = INFINITY;

/// @main of one f32 argument of 24 x 40 and one result, from its operations.
static std::string onRows(llvm::StringRef body, llvm::StringRef result) {
  return ("func.func @main(%x: tensor<24x40xf32>) -> " + result +
          " {\n%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n" +
          body + "\nfunc.return %r : " + result + "\n}")
      .str();
}

static std::string fold(llvm::StringRef operation, llvm::StringRef start) {
  return onRows(("%r = stablehlo.reduce(%x init: " + start +
                 ") applies stablehlo." + operation +
                 " across dimensions = [1] : (tensor<24x40xf32>, tensor<f32>) "
                 "-> tensor<24xf32>")
                    .str(),
                "tensor<24xf32>");
}

static std::string single(llvm::StringRef operation) {
  return onRows(
      ("%r = stablehlo." + operation + " %x : tensor<24x40xf32>").str(),
      "tensor<24x40xf32>");
}

static SharedProgram parsed(llvm::StringRef text) {
  return llvm::cantFail(program::Program::parse(text, "test"));
}

static std::vector<Tensor> filled(const SharedProgram &program,
                                  const KeptNumbers &kept = {}) {
  return llvm::cantFail(
      fillProgram(*program, "", FillKind::Special, 1, 0, kept));
}

static Floats floats(const Tensor &tensor) {
  Floats x(static_cast<size_t>(tensor.size()));
  std::memcpy(x.data(), tensor.bytes(), x.size() * sizeof(float));
  return x;
}

template <typename Is> static int64_t count(const Floats &x, Is is) {
  return std::count_if(x.begin(), x.end(), is);
}
static bool isNan(float x) { return std::isnan(x); }
static bool isNegativeNan(float x) { return std::isnan(x) && std::signbit(x); }
static bool isInfinite(float x) { return std::isinf(x); }
static bool isSubnormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL; }

/// The verdict on the results of `kernel` for special data.
template <typename Kernel>
static Status judged(llvm::StringRef text, Kernel kernel,
                     const KeptNumbers &kept = {}) {
  SharedProgram program = parsed(text);
  ThreadPool pool(2);
  ProgramJudge judge(program, {"", "bound", 0}, pool);
  std::vector<Tensor> inputs = filled(program, kept);
  llvm::cantFail(judge.prepare(inputs, demandsOf(FillKind::Special, kept)));
  std::vector<Floats> x;
  for (const Tensor &input : inputs)
    x.push_back(floats(input));
  Floats result = kernel(x);
  return judge
      .judge({{"dst", reinterpret_cast<const std::byte *>(result.data())}},
             "special")
      .status;
}

/// `step` over the rows of 24 x 40, from `start`.
template <typename Step> static auto rowByRow(float start, Step step) {
  return [=](const std::vector<Floats> &x) {
    Floats out(24, start);
    for (size_t i = 0; i < 24; ++i)
      for (size_t j = 0; j < 40; ++j)
        out[i] = step(out[i], x[0][i * 40 + j]);
    return out;
  };
}

template <typename Function> static auto each(Function function) {
  return [=](const std::vector<Floats> &x) {
    Floats out;
    for (float one : x[0])
      out.push_back(function(one));
    return out;
  };
}

static float maximum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}

TEST(SpecialData, MaximaMeetNanAnywhereAndLinesOfInfinity) {
  std::string text = fold("maximum", "%low");
  EXPECT_EQ(judged(text, rowByRow(-kInf, maximum)), Status::Passed);
  EXPECT_EQ(judged(text, rowByRow(-kInf, fmaxf)), Status::Failed);
  EXPECT_EQ(judged(text, rowByRow(-FLT_MAX, maximum)), Status::Failed);
  EXPECT_EQ(judged(text, rowByRow(-kInf, [](float a, float b) {
                     return a > b ? a : b; // a NaN is lost after it
                   })),
            Status::Failed);
}

TEST(SpecialData, SumsMeetInfinity) {
  std::string text = fold("add", "%zero");
  auto plus = [](float a, float b) { return a + b; };
  EXPECT_EQ(judged(text, rowByRow(0, plus)), Status::Passed);
  EXPECT_EQ(judged(text, [&](const std::vector<Floats> &x) {
              Floats out = rowByRow(0, plus)(x);
              for (float &one : out)
                one = std::isnan(one) ? one : std::clamp(one, -FLT_MAX, FLT_MAX);
              return out;
            }),
            Status::Failed);
}

TEST(SpecialData, SubnormalNumbersAreKeptWhereTheyAreAskedFor) {
  std::string text =
      onRows("%half = stablehlo.constant dense<0.5> : tensor<24x40xf32>\n"
             "%r = stablehlo.multiply %x, %half : tensor<24x40xf32>",
             "tensor<24x40xf32>");
  auto half = [](float x) { return 0.5f * x; };
  auto flushing = [](float x) {
    return std::fabs(0.5f * x) < FLT_MIN ? 0.0f : 0.5f * x;
  };
  EXPECT_EQ(judged(text, each(half)), Status::Passed);
  EXPECT_EQ(judged(text, each(flushing)), Status::Failed);
  KeptNumbers kept;
  kept.subnormal = false;
  EXPECT_EQ(judged(text, each(flushing), kept), Status::Passed);
}

TEST(SpecialData, ANanOfAComputedInfinityIsOpen) {
  // x logistic(x) at minus infinity: 0 in the limit, NaN by the formula.
  std::string text = onRows("%s = stablehlo.logistic %x : tensor<24x40xf32>\n"
                            "%r = stablehlo.multiply %x, %s : tensor<24x40xf32>",
                            "tensor<24x40xf32>");
  auto silu = [](bool isNan) {
    return [=](float x) {
      if (x == -kInf)
        return isNan ? NAN : 0.0f;
      return static_cast<float>(x / (1 + std::exp(-static_cast<double>(x))));
    };
  };
  EXPECT_EQ(judged(text, each(silu(true))), Status::Passed);
  EXPECT_EQ(judged(text, each(silu(false))), Status::Passed);
}

TEST(SpecialData, TheSignOfAComputedZeroIsOpen) {
  std::string by = "%y = stablehlo.negate %x : tensor<24x40xf32>\n"
                   "%one = stablehlo.constant dense<1.0> : tensor<24x40xf32>\n"
                   "%r = stablehlo.divide %one, ";
  auto reciprocal = [](float sign) {
    return [=](float x) { return x == 0 ? sign * kInf : 1 / x; };
  };
  auto given = [](float x) { return 1 / x; };
  std::string direct = onRows(by + "%x : tensor<24x40xf32>", "tensor<24x40xf32>"),
              computed =
                  onRows(by + "%y : tensor<24x40xf32>", "tensor<24x40xf32>");
  EXPECT_EQ(judged(direct, each(given)), Status::Passed);
  EXPECT_EQ(judged(direct, each(reciprocal(1))), Status::Failed);
  for (float sign : {-1.0f, 1.0f})
    EXPECT_EQ(judged(computed, each([&](float x) {
                       return x == 0 ? sign * kInf : -1 / x;
                     })),
              Status::Passed);
}

static const char *const kProduct = R"(
func.func @main(%a: tensor<24x40xf32>, %b: tensor<40x24xf32>) -> tensor<24x24xf32> {
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x40xf32>, tensor<40x24xf32>) -> tensor<24x24xf32>
  func.return %p : tensor<24x24xf32>
})";

TEST(SpecialData, ProductsMeetZeroTimesInfinity) {
  auto product = [](auto term, auto store) {
    return [=](const std::vector<Floats> &x) {
      Floats out(24 * 24);
      for (size_t i = 0; i < 24; ++i)
        for (size_t j = 0; j < 24; ++j) {
          float sum = 0;
          for (size_t k = 0; k < 40; ++k)
            sum += term(x[0][i * 40 + k], x[1][k * 24 + j]);
          out[i * 24 + j] = store(sum);
        }
      return out;
    };
  };
  auto times = [](float a, float b) { return a * b; };
  auto skipping = [](float a, float b) { return a == 0 ? 0 : a * b; };
  auto same = [](float x) { return x; };
  auto limited = [](float x) {
    return std::isnan(x) ? x : std::clamp(x, -FLT_MAX, FLT_MAX);
  };
  EXPECT_EQ(judged(kProduct, product(times, same)), Status::Passed);
  EXPECT_EQ(judged(kProduct, product(skipping, same)), Status::Failed);
  EXPECT_EQ(judged(kProduct, product(times, limited)), Status::Failed);
}

TEST(SpecialData, WhatIsNotKeptIsLeftOut) {
  SharedProgram program = parsed(single("exponential"));
  Floats all = floats(filled(program)[0]);
  EXPECT_GT(count(all, isNan), 50);
  EXPECT_GT(count(all, isInfinite), 50);
  EXPECT_EQ(count(all, isSubnormal), 0); // functions may treat them as zero
  EXPECT_GT(count(floats(filled(parsed(single("negate")))[0]), isSubnormal), 50);
  KeptNumbers kept;
  kept.nan = kept.infinity = false;
  Floats some = floats(filled(program, kept)[0]);
  EXPECT_EQ(count(some, isNan) + count(some, isInfinite), 0);
  // Only arithmetic passes a NaN on.
  EXPECT_GT(count(floats(filled(parsed(single("negate")), kept)[0]), isNan), 50);
}

// A rectifier may lose NaN; an engine that says so is not given
// infinities that become NaN on the way there either.
TEST(SpecialData, WhereNanIsNotKeptInfinitiesMakeNone) {
  std::string text = onRows(
      "%s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across "
      "dimensions = [1] : (tensor<24x40xf32>, tensor<f32>) -> tensor<24xf32>\n"
      "%zeros = stablehlo.constant dense<0.0> : tensor<24xf32>\n"
      "%r = stablehlo.maximum %s, %zeros : tensor<24xf32>",
      "tensor<24xf32>");
  auto rectified = [](const std::vector<Floats> &x) {
    Floats out(24, 0);
    for (size_t i = 0; i < 24; ++i) {
      for (size_t j = 0; j < 40; ++j)
        out[i] += x[0][i * 40 + j];
      out[i] = out[i] > 0 ? out[i] : 0;
    }
    return out;
  };
  KeptNumbers kept;
  kept.nan = false;
  EXPECT_EQ(judged(text, rectified), Status::Failed);
  EXPECT_EQ(judged(text, rectified, kept), Status::Passed);
}

TEST(SpecialData, OrdersThatDoNotKnowNanMeetNone) {
  auto sorted = [](llvm::StringRef kind) {
    return parsed(onRows(("%r = \"stablehlo.sort\"(%x) ({\n"
                          "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                          "%c = stablehlo.compare LT, %a, %b, " +
                          kind +
                          " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                          "stablehlo.return %c : tensor<i1>\n"
                          "}) {dimension = 1 : i64} : (tensor<24x40xf32>) -> "
                          "tensor<24x40xf32>")
                             .str(),
                         "tensor<24x40xf32>"));
  };
  EXPECT_EQ(count(floats(filled(sorted("FLOAT"))[0]), isNan), 0);
  Floats total = floats(filled(sorted("TOTALORDER"))[0]);
  EXPECT_GT(count(total, isNan), 2);
  EXPECT_EQ(count(total, isNegativeNan), 0);
}

// The NaN that x86 makes of zero times infinity is negative.
TEST(SpecialData, AKernelThatAsksForTheSignBitMeetsNanOfBothSigns) {
  std::string text = single("abs");
  Floats x = floats(filled(parsed(text))[0]);
  EXPECT_GT(count(x, isNegativeNan), 2);
  EXPECT_GT(count(x, isNan), count(x, isNegativeNan) + 2);
  text = onRows("%b = stablehlo.broadcast_in_dim %zero, dims = [] : "
                "(tensor<f32>) -> tensor<24x40xf32>\n"
                "%r = stablehlo.maximum %x, %b : tensor<24x40xf32>",
                "tensor<24x40xf32>");
  auto masked = [](const std::vector<Floats> &in) {
    Floats out = in[0];
    for (float &each : out)
      each = std::signbit(each) ? 0 : each;
    return out;
  };
  EXPECT_EQ(judged(text, masked), Status::Failed);
}

TEST(SpecialData, WindowsMeetNoLineOfInfinityAlone) {
  SharedProgram program = parsed(R"(
func.func @main(%x: tensor<48x8xf32>) -> tensor<48x4xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %low) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>} : (tensor<48x8xf32>, tensor<f32>) -> tensor<48x4xf32>
  func.return %r : tensor<48x4xf32>
})");
  Floats x = floats(filled(program)[0]);
  int64_t deep = 0;
  for (size_t row = 0; row < 48; ++row) {
    auto begin = x.begin() + static_cast<long>(8 * row);
    EXPECT_LT(std::count(begin, begin + 8, -kInf), 8);
    deep += std::all_of(begin, begin + 8, [](float v) { return v < -1e29f; });
  }
  EXPECT_EQ(deep, 4);
}

// Column 0 has the weight 1: the neighbour of weight 0 there is the next
// column, or column 0 once more.
TEST(SpecialData, NeighboursOfTheWeightZeroAreNobodysFault) {
  std::string text = onRows(R"(
%i = stablehlo.iota dim = 1 : tensor<24x40xf32>
%size = stablehlo.constant dense<40.0> : tensor<24x40xf32>
%one = stablehlo.constant dense<1.0> : tensor<24x40xf32>
%w = stablehlo.divide %i, %size : tensor<24x40xf32>
%v = stablehlo.subtract %one, %w : tensor<24x40xf32>
%a = stablehlo.slice %x [0:24, 1:40] : (tensor<24x40xf32>) -> tensor<24x39xf32>
%b = stablehlo.slice %x [0:24, 39:40] : (tensor<24x40xf32>) -> tensor<24x1xf32>
%n = stablehlo.concatenate %a, %b, dim = 1 : (tensor<24x39xf32>, tensor<24x1xf32>) -> tensor<24x40xf32>
%p = stablehlo.multiply %x, %v : tensor<24x40xf32>
%q = stablehlo.multiply %n, %w : tensor<24x40xf32>
%r = stablehlo.add %p, %q : tensor<24x40xf32>)",
                            "tensor<24x40xf32>");
  auto resized = [](bool repeats, bool swallows) {
    return [=](const std::vector<Floats> &x) {
      Floats out;
      for (size_t i = 0; i < 24; ++i)
        for (size_t j = 0; j < 40; ++j) {
          float w = static_cast<float>(j) / 40, left = x[0][i * 40 + j],
                right = x[0][i * 40 + (repeats && j == 0
                                           ? 0
                                           : std::min<size_t>(j + 1, 39))],
                y = left * (1 - w) + right * w;
          out.push_back(swallows && std::isnan(y) ? 0 : y);
        }
      return out;
    };
  };
  EXPECT_EQ(judged(text, resized(false, false)), Status::Passed);
  EXPECT_EQ(judged(text, resized(true, false)), Status::Passed);
  EXPECT_EQ(judged(text, resized(false, true)), Status::Failed);
}
