// Scales behind convolutions: as the reference computes them, whatever the layout; made
// once for the parameters that stay, and left alone where something else reads or makes
// them.
#include "assay/engine/native/FoldScales.h"

#include "assay/engine/native/NativeAgreement.h"
#include "assay/engine/native/ProgramPasses.h"
#include "assay/reference/ChannelScale.h"

using namespace assay;
using namespace assay::engine;

namespace {
/// A convolution of an image and a filter, and what follows on its result %y.
struct Form {
  std::string image, filter, result, dims, more, body, arguments;

  std::string text() const {
    auto type = [](const std::string &sizes) {
      return "tensor<" + sizes + "xf32>";
    };
    std::string all =
        "(" + type(image) + ", " + type(filter) + ") -> " + type(result);
    return "func.func @main(%x: " + type(image) + ", %w: " + type(filter) +
           (arguments.empty() ? "" : ", " + arguments) + ") -> " +
           type(result) +
           " {\n%y = stablehlo.convolution(%x, %w) dim_numbers = " + dims +
           ", window = {" + more + " : " + all + "\n" + body +
           "return %z : " + type(result) + "\n}";
  }
};
} // namespace

/// Numbers that are equal, where zeros may differ in sign.
static constexpr float kEqual = 1e-30f;

static const char *const kOneGroup =
    "pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count "
    "= 1 : i64}";

/// `body` with $T for the result's type.
static std::string with(std::string body, const std::string &sizes) {
  for (size_t at; (at = body.find("$T")) != std::string::npos;)
    body.replace(at, 2, "tensor<" + sizes + "xf32>");
  return body;
}

/// (y - m) s + b along one dimension.
static std::string normalise(int dim, int channels, const std::string &sizes) {
  std::string vector = "tensor<" + std::to_string(channels) + "xf32>", body;
  auto broadcast = [&](const char *to, const char *from) {
    body += std::string(to) + " = stablehlo.broadcast_in_dim " + from +
            ", dims = [" + std::to_string(dim) + "] : (" + vector + ") -> $T\n";
  };
  broadcast("%a", "%m");
  broadcast("%c", "%s");
  broadcast("%d", "%b");
  return with(body + "%0 = stablehlo.subtract %y, %a : $T\n"
                     "%1 = stablehlo.multiply %0, %c : $T\n"
                     "%z = stablehlo.add %d, %1 : $T\n",
              sizes);
}

static std::string vectors(int channels) {
  std::string type = ": tensor<" + std::to_string(channels) + "xf32>";
  return "%m" + type + ", %s" + type + ", %b" + type;
}

static Form planes() {
  return {"2x3x9x7", "5x3x3x3",
          "2x5x9x7", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
          kOneGroup, normalise(1, 5, "2x5x9x7"),
          vectors(5)};
}

static std::vector<Form> forms() {
  std::string last = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
              sizes = "1x6x6x24";
  return {
      planes(),
      {"1x6x6x16", "3x3x16x24", sizes, last, kOneGroup, normalise(3, 24, sizes),
       vectors(24)},
      // depthwise
      {"1x6x6x24", "3x3x1x24", sizes, last,
       "pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
       "feature_group_count = 24 : i64}",
       normalise(3, 24, sizes), vectors(24)},
      // a transposed convolution
      {"1x4x5x5", "6x4x2x2", "1x6x10x10",
       "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
       "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : "
       "i64, "
       "feature_group_count = 1 : i64}",
       normalise(1, 6, "1x6x10x10"), vectors(6)},
      // one number for all channels, a division first, no shift
      {"1x6x6x16", "3x3x16x24", sizes, last, kOneGroup,
       with("%four = stablehlo.constant dense<4.0> : $T\n"
            "%0 = stablehlo.divide %y, %four : $T\n"
            "%1 = stablehlo.reshape %s : (tensor<24xf32>) -> "
            "tensor<1x1x1x24xf32>\n"
            "%2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : "
            "(tensor<1x1x1x24xf32>) -> $T\n"
            "%z = stablehlo.multiply %2, %0 : $T\n",
            sizes),
       "%s: tensor<24xf32>"},
  };
}

static size_t foldsOf(const std::string &text, bool argumentsStay = true) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  return reference::channelScales(program->module(), argumentsStay).size();
}

TEST(FoldScales, EqualsTheReference) {
  for (const Form &form : forms()) {
    EXPECT_EQ(foldsOf(form.text()), 1u) << form.text();
    auto program = llvm::cantFail(program::Program::parse(form.text(), "test"));
    auto plain = llvm::cantFail(
        program::buildPlan(program, reference::ReferenceCompiler(), {}));
    NativeEngine engine("native",
                        std::make_shared<reference::ReferenceCompiler>());
    auto planned = llvm::cantFail(engine.makePlan(program, {}));
    // Whole numbers: a filter that is scaled first gives the same, but for the sign of zero.
    for (int64_t draw : {0, 0, 1, 0}) {
      std::vector<Tensor> arguments = makeArguments(*program, draw);
      expectSame(runPlan(*planned, arguments).results[0],
                 runPlan(*plain, arguments).results[0], kEqual, form.text());
    }
  }
}

TEST(FoldScales, FiltersArePackedOnceForTheParametersThatStay) {
  Form form = forms()[1];
  auto program = llvm::cantFail(program::Program::parse(form.text(), "test"));
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  auto plan = llvm::cantFail(engine.makePlan(program, {}));
  std::vector<Tensor> arguments = makeArguments(*program),
                      others = makeArguments(*program, 1);
  Tensor first = runPlan(*plan, arguments).results[0];
  int64_t packings = engine.context()->packings;
  EXPECT_GT(packings, 0);
  arguments[0] = others[0]; // another image
  runPlan(*plan, arguments);
  EXPECT_EQ(engine.context()->packings, packings);
  arguments[3] = others[3]; // another scale
  Tensor scaled = runPlan(*plan, arguments).results[0];
  EXPECT_GT(engine.context()->packings, packings);
  auto plain = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  expectSame(scaled, runPlan(*plain, arguments).results[0], kEqual,
             form.text());
}

TEST(FoldScales, OffKeepsTheOrderOfOperations) {
  Form form = planes();
  form.body = with("%third = stablehlo.constant dense<0.333333343> : $T\n"
                   "%z = stablehlo.multiply %y, %third : $T\n",
                   form.result);
  form.arguments = "";
  auto program = llvm::cantFail(program::Program::parse(form.text(), "test"));
  auto plain = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  NativeEngine engine("native",
                      std::make_shared<reference::ReferenceCompiler>());
  PlanRequest off;
  off.numeric.foldsScales = false;
  std::vector<Tensor> arguments = makeArguments(*program);
  Tensor expected = runPlan(*plain, arguments).results[0],
         folded =
             runPlan(*llvm::cantFail(engine.makePlan(program, {})), arguments)
                 .results[0];
  expectSame(runPlan(*llvm::cantFail(engine.makePlan(program, off)), arguments)
                 .results[0],
             expected, 0, form.text());
  EXPECT_NE(std::memcmp(folded.bytes(), expected.bytes(),
                        size_t(expected.denseBytes())),
            0);
  expectSame(folded, expected, 1e-4f, form.text());
}

TEST(FoldScales, WhatDoesNotStayIsLeftAlone) {
  EXPECT_EQ(foldsOf(planes().text(), /*argumentsStay=*/false), 0u);
  // Another reader of the sums.
  Form form = planes();
  form.body += with("%twice = stablehlo.add %y, %y : $T\n", form.result);
  EXPECT_EQ(foldsOf(form.text()), 0u);
  // A scale along rows.
  form = planes();
  form.body = normalise(2, 9, form.result);
  form.arguments = vectors(9);
  EXPECT_EQ(foldsOf(form.text()), 0u);
  // A gate that the image gives, as an input of rank four.
  form = planes();
  form.image = "1x3x9x7";
  form.result = "1x5x9x7";
  form.body =
      with("%g = stablehlo.broadcast_in_dim %gate, dims = [0, 1, 2, 3] : "
           "(tensor<1x5x1x1xf32>) -> $T\n%z = stablehlo.multiply %y, %g : $T\n",
           form.result);
  form.arguments = "%gate: tensor<1x5x1x1xf32>";
  EXPECT_EQ(foldsOf(form.text()), 0u);
  // A filter that the program computes.
  form = planes();
  form.body = "%v = stablehlo.abs %w : tensor<5x3x3x3xf32>\n" + form.body;
  std::string text = form.text(), call = "%y = stablehlo.convolution(%x, %w)";
  size_t line = text.find(call), abs = text.find("%v = ");
  std::string made = text.substr(abs, text.find('\n', abs) + 1 - abs);
  text.erase(abs, made.size());
  text.replace(line, call.size(), made + "%y = stablehlo.convolution(%x, %v)");
  EXPECT_EQ(foldsOf(text), 0u);
}
