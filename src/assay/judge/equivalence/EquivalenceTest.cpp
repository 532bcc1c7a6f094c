// Pairs of programs: lawful rewrites are equal, planted faults differ.
#include "assay/judge/equivalence/Equivalence.h"
#include "gtest/gtest.h"

using namespace assay;
using namespace assay::judge;

namespace {
struct Pair {
  const char *name, *a, *b;
  EquivVerdict verdict;
};
constexpr EquivVerdict kEqual = EquivVerdict::Equal,
                       kPrecision = EquivVerdict::EqualButForPrecision,
                       kDiffers = EquivVerdict::Differs;
} // namespace

/// A body on %x, %y : tensor<4x8xf32>, %v : tensor<8xf32> with short names for
/// types: T is tensor<4x8xf32>, R tensor<4xf32>, S tensor<f32>.
static std::string programOf(llvm::StringRef body) {
  std::string text = "func.func @main(%x: T, %y: T, %v: tensor<8xf32>) -> ";
  auto [type, lines] = body.split('\n');
  text += (type + " {\n" + lines + "\n}\n").str();
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    auto isWord = [&](size_t k) {
      return k < text.size() &&
             (isalnum(text[k]) || strchr("_%@<#.\"", text[k]));
    };
    bool alone = (i == 0 || !isWord(i - 1)) && !isWord(i + 1);
    if (alone && text[i] == 'T')
      out += "tensor<4x8xf32>";
    else if (alone && text[i] == 'R')
      out += "tensor<4xf32>";
    else if (alone && text[i] == 'S')
      out += "tensor<f32>";
    else
      out += text[i];
  }
  return out;
}

static llvm::Expected<Equivalence> decideTexts(const std::string &a,
                                               const std::string &b,
                                               llvm::StringRef laws = "") {
  EquivRequest request;
  if (llvm::Error error = program::Program::parse(a, "a").moveInto(request.a))
    return error;
  if (llvm::Error error = program::Program::parse(b, "b").moveInto(request.b))
    return error;
  if (llvm::Error error = LawSet::parse(laws).moveInto(request.laws))
    return error;
  static ThreadPool pool(1);
  return decide(request, pool);
}

static void expectVerdict(const Pair &pair, llvm::StringRef laws = "") {
  llvm::Expected<Equivalence> answer =
      decideTexts(programOf(pair.a), programOf(pair.b), laws);
  if (!answer) {
    ADD_FAILURE() << pair.name << ": " << llvm::toString(answer.takeError());
    return;
  }
  EXPECT_EQ(nameOf(answer->verdict), std::string(nameOf(pair.verdict)))
      << pair.name << ": " << answer->closingLine();
}

#define SUM(x)                                                                 \
  "%z = stablehlo.constant dense<0.0> : S\n%s = stablehlo.reduce(" x           \
  " init: %z) applies stablehlo.add across dimensions = [1] : (T, S) -> R\n"

static const Pair kLawful[] = {
#include "assay/judge/equivalence/LawfulPairs.def"
};

static const Pair kPlanted[] = {
#include "assay/judge/equivalence/PlantedPairs.def"
};

TEST(Equivalence, LawfulRewritesAreEqual) {
  for (const Pair &pair : kLawful)
    expectVerdict(pair);
}

TEST(Equivalence, PlantedRewritesDiffer) {
  for (const Pair &pair : kPlanted)
    expectVerdict(pair);
}

TEST(Equivalence, AProgramEqualsItself) {
  for (llvm::ArrayRef<Pair> rows :
       {llvm::ArrayRef(kLawful), llvm::ArrayRef(kPlanted)})
    for (const Pair &pair : rows) {
      expectVerdict({pair.name, pair.a, pair.a, kEqual});
      expectVerdict({pair.name, pair.b, pair.b, kEqual});
    }
}

TEST(Equivalence, ALawThatIsOffDoesNotApply) {
  expectVerdict({"exp", kLawful[3].a, kLawful[3].b, kDiffers}, "-exp");
  expectVerdict({"logistic", kLawful[5].a, kLawful[5].b, kDiffers},
                "-logistic");
  expectVerdict({"zero", kPlanted[6].a, kPlanted[6].b, kEqual}, "all");
}

namespace {
/// Positive floats %n, not made from float arguments.
struct Source {
  const char *name, *lines;
  EquivVerdict verdict;
};
const Source kSources[] = {
    {"integers",
     "%i = stablehlo.convert %x : (T) -> tensor<4x8xi32>\n%o = "
     "stablehlo.constant dense<2> : tensor<4x8xi32>\n%k = stablehlo.maximum "
     "%i, %o : tensor<4x8xi32>\n%n = stablehlo.convert %k : "
     "(tensor<4x8xi32>) -> T\n",
     kEqual},
    {"bits",
     "%i = stablehlo.bitcast_convert %x : (T) -> tensor<4x8xui32>\n%m = "
     "stablehlo.constant dense<8388607> : tensor<4x8xui32>\n%e = "
     "stablehlo.constant dense<1065353216> : tensor<4x8xui32>\n%k = "
     "stablehlo.and %i, %m : tensor<4x8xui32>\n%l = stablehlo.or %k, %e : "
     "tensor<4x8xui32>\n%n = stablehlo.bitcast_convert %l : "
     "(tensor<4x8xui32>) -> T\n",
     kEqual},
    {"a choice",
     "%i = stablehlo.compare LT, %x, %y : (T, T) -> tensor<4x8xi1>\n%m = "
     "stablehlo.constant dense<7.0> : T\n%e = stablehlo.constant "
     "dense<11.0> : T\n%n = stablehlo.select %i, %m, %e : tensor<4x8xi1>, "
     "T\n",
     kEqual},
    {"a table",
     "%w = stablehlo.iota dim = 0 : tensor<16xf32>\n%f = stablehlo.constant "
     "dense<2.5> : tensor<16xf32>\n%t = stablehlo.add %w, %f : "
     "tensor<16xf32>\n%i = stablehlo.convert %v : (tensor<8xf32>) -> "
     "tensor<8xi32>\n%j = stablehlo.slice %i [0:1] : (tensor<8xi32>) -> "
     "tensor<1xi32>\n%k = stablehlo.reshape %j : (tensor<1xi32>) -> "
     "tensor<i32>\n%l = stablehlo.dynamic_slice %t, %k, sizes = [8] : "
     "(tensor<16xf32>, tensor<i32>) -> tensor<8xf32>\n%n = "
     "stablehlo.broadcast_in_dim %l, dims = [1] : (tensor<8xf32>) -> T\n",
     kEqual},
    {"the rounds of a loop",
     "%i = stablehlo.convert %v : (tensor<8xf32>) -> tensor<8xi32>\n%j = "
     "stablehlo.slice %i [0:1] : (tensor<8xi32>) -> tensor<1xi32>\n%k = "
     "stablehlo.reshape %j : (tensor<1xi32>) -> tensor<i32>\n%o = "
     "stablehlo.constant dense<1> : tensor<i32>\n%h = stablehlo.constant "
     "dense<7> : tensor<i32>\n%w = stablehlo.while(%q = %k) : tensor<i32> "
     "cond {\n%c = stablehlo.compare LT, %q, %h : (tensor<i32>, "
     "tensor<i32>) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n} do "
     "{\n%c = stablehlo.add %q, %o : tensor<i32>\nstablehlo.return %c : "
     "tensor<i32>\n}\n%f = stablehlo.convert %w : (tensor<i32>) -> S\n%n = "
     "stablehlo.broadcast_in_dim %f, dims = [] : (S) -> T\n",
     kEqual},
    {"positions",
     "%i = stablehlo.iota dim = 0 : tensor<8xi32>\n%o = stablehlo.constant "
     "dense<3> : tensor<8xi32>\n%k = stablehlo.add %i, %o : "
     "tensor<8xi32>\n%m = stablehlo.convert %k : (tensor<8xi32>) -> "
     "tensor<8xf32>\n%n = stablehlo.broadcast_in_dim %m, dims = [1] : "
     "(tensor<8xf32>) -> T\n",
     kPrecision},
};
/// Rewrites of functions of %n.
struct Rewrite {
  const char *a, *b;
  bool isOfValues; ///< equal as well where the values are rounded
};
const Rewrite kRewrites[] = {
    {"%c = stablehlo.constant dense<3.0> : T\n%s = stablehlo.sqrt %n : "
     "T\n%r = stablehlo.divide %c, %s : T\nreturn %r : T",
     "%c = stablehlo.constant dense<3.0> : T\n%s = stablehlo.rsqrt %n : "
     "T\n%r = stablehlo.multiply %c, %s : T\nreturn %r : T",
     false},
    {"%c = stablehlo.constant dense<0.125> : T\n%d = stablehlo.multiply %n, "
     "%c : T\n%a = stablehlo.add %d, %y : T\n%r = stablehlo.exponential %a "
     ": T\nreturn %r : T",
     "%c = stablehlo.constant dense<0.125> : T\n%d = stablehlo.multiply %n, "
     "%c : T\n%a = stablehlo.exponential %d : T\n%b = "
     "stablehlo.exponential %y : T\n%r = stablehlo.multiply %a, %b : "
     "T\nreturn %r : T",
     true}};
} // namespace

TEST(Equivalence, FunctionsOfWholeNumbersAreRewrittenToo) {
  for (const Source &source : kSources)
    for (auto [a, b, isOfValues] : kRewrites) {
      std::string first = std::string("T\n") + source.lines + a,
                  second = std::string("T\n") + source.lines + b;
      expectVerdict({source.name, first.c_str(), second.c_str(),
                     isOfValues ? kEqual : source.verdict});
    }
}

TEST(Equivalence, ADroppedTermAmong4096IsSeen) {
  auto sum = [](int count) {
    std::string n = std::to_string(count);
    return "func.func @main(%x: tensor<4096xf32>) -> tensor<f32> {\n"
           "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "  %l = stablehlo.slice %x [0:" +
           n + "] : (tensor<4096xf32>) -> tensor<" + n +
           "xf32>\n  %s = stablehlo.reduce(%l init: %z) applies stablehlo.add "
           "across dimensions = [0] : (tensor<" +
           n +
           "xf32>, tensor<f32>) -> tensor<f32>\n  return %s : tensor<f32>\n}";
  };
  llvm::Expected<Equivalence> answer = decideTexts(sum(4096), sum(4095));
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->verdict, kDiffers);
}

/// The closing line about two programs.
static std::string lineOf(const std::string &a, const std::string &b) {
  llvm::Expected<Equivalence> answer = decideTexts(a, b);
  return answer ? answer->closingLine() : llvm::toString(answer.takeError());
}

TEST(Equivalence, AnOperationWithoutARuleIsNamed) {
  std::string quantised = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %q = stablehlo.uniform_quantize %x :
      (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:0>>
  %a = stablehlo.uniform_dequantize %q :
      (tensor<4x!quant.uniform<i8:f32, 0.5:0>>) -> tensor<4xf32>
  return %a : tensor<4xf32>
})";
  EXPECT_EQ(lineOf(quantised, quantised),
            "not decided (stablehlo.uniform_quantize (quantised elements), "
            "stablehlo.uniform_dequantize (quantised elements))");
  std::string body = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    %l = stablehlo.reshape %c : (tensor<f32>) -> tensor<1xf32>
    %d = stablehlo.reshape %l : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %d : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %s : tensor<f32>
})";
  EXPECT_EQ(lineOf(body, body),
            "not decided (stablehlo.reduce (its body has stablehlo.reshape))");
  std::string shapes = R"(
func.func @main(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %a = chlo.broadcast_add %x, %y :
      (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %a : tensor<2x4xf32>
})";
  EXPECT_EQ(lineOf(shapes, shapes),
            "not decided (chlo.broadcast_add (operands of several shapes))");
}

TEST(Equivalence, IntegersAreCompared) {
  auto shifted = [](const char *by) {
    return "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
           "  %c = stablehlo.constant dense<" +
           std::string(by) +
           "> : tensor<4xi32>\n  %a = stablehlo.add %x, %c : tensor<4xi32>\n"
           "  return %a : tensor<4xi32>\n}";
  };
  EXPECT_EQ(lineOf(shifted("1"), shifted("1")), "equal");
  EXPECT_NE(lineOf(shifted("1"), shifted("2")).find("the integers differ"),
            std::string::npos);
}

TEST(Field, ExpIsAHomomorphism) {
  uint64_t a = toField(1, 123456789123), b = toField(1, 987654321987);
  EXPECT_EQ(expMod(0, addMod(1, a, b)), mulMod(0, expMod(0, a), expMod(0, b)));
}

TEST(Field, DoublesAreTheirRationals) {
  for (int level = 0; level < kLevels; ++level) {
    uint64_t tenth = fieldOf(level, 0.1), ten = fieldOf(level, 10);
    EXPECT_NE(mulMod(level, tenth, ten), fieldOf(level, 1));
    EXPECT_EQ(mulMod(level, fieldOf(level, 0.375), fieldOf(level, -8)),
              fieldOf(level, -3));
    EXPECT_EQ(mulMod(level, ten, invMod(level, ten)), fieldOf(level, 1));
    uint64_t cube = mulMod(level, ten, mulMod(level, ten, ten));
    EXPECT_EQ(cbrtMod(level, cube), ten);
  }
}

static EquivVerdict verdictOf(const std::string &a, const std::string &b) {
  return llvm::cantFail(decideTexts(a, b)).verdict;
}

/// An index counted from the end where it is negative, as exporters write it.
static std::string wrappedIndex(llvm::StringRef comparison) {
  return llvm::formatv(R"(func.func @main(%i: tensor<i32>) -> tensor<i32> {{
    %n = stablehlo.constant dense<5> : tensor<i32>
    %z = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.compare {0}, %i, %z, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.add %i, %n : tensor<i32>
    %r = stablehlo.select %c, %s, %i : tensor<i1>, tensor<i32>
    return %r : tensor<i32>
  })",
                       comparison)
      .str();
}

TEST(Equivalence, IntegersMeetTheEdgesOfDecisions) {
  EXPECT_EQ(verdictOf(wrappedIndex("LT"), wrappedIndex("LT")), kEqual);
  EXPECT_EQ(verdictOf(wrappedIndex("LT"), wrappedIndex("LE")), kDiffers);
}

/// A program that makes sixteen booleans of the integers `%a` and `%b`.
static std::string ofIntegers(llvm::StringRef lines) {
  return "func.func @main(%a: tensor<16xi32>, %b: tensor<16xi32>) -> "
         "tensor<16xi1> {\n  %z = stablehlo.constant dense<0> : "
         "tensor<16xi32>\n  %t = stablehlo.constant dense<2> : "
         "tensor<16xi32>\n" +
         lines.str() + "\n  return %r : tensor<16xi1>\n}";
}

TEST(Equivalence, IntegersMeetTheEndsOfTheirTypes) {
  constexpr const char *kTypes =
      "(tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>";
  std::string less = ofIntegers(
      llvm::formatv("%r = stablehlo.compare LT, %a, %b, SIGNED : {0}", kTypes)
          .str());
  std::string wraps = ofIntegers(
      llvm::formatv("%d = stablehlo.subtract %a, %b : tensor<16xi32>\n"
                    "%r = stablehlo.compare LT, %d, %z, SIGNED : {0}",
                    kTypes)
          .str());
  EXPECT_EQ(verdictOf(less, wraps), kDiffers);
}

TEST(Equivalence, AComplexConstantMayBeTheInverseOfAnother) {
  auto scaled = [](llvm::StringRef operation, llvm::StringRef constant) {
    return llvm::formatv(
               R"(func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {{
    %c = stablehlo.constant dense<({1}, 0.0)> : tensor<4xcomplex<f32>>
    %r = stablehlo.{0} %x, %c : tensor<4xcomplex<f32>>
    return %r : tensor<4xcomplex<f32>>
  })",
               operation, constant)
        .str();
  };
  EXPECT_EQ(
      lineOf(scaled("divide", "12.0"), scaled("multiply", "0.0833333358")),
      "equal but for precision (constant 0.0833333358 of the second "
      "program is 1 / 12)");
}

/// The Cholesky factor of %x times a constant; NaN where %x is not positive
/// definite.
static std::string choleskyTimes(llvm::StringRef factor) {
  return llvm::formatv(
             R"(func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {{
    %f = stablehlo.constant dense<{0}> : tensor<3x3xf32>
    %l = stablehlo.cholesky %x, lower = true : tensor<3x3xf32>
    %m = stablehlo.multiply %l, %f : tensor<3x3xf32>
    %i = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %j = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.compare GE, %i, %j : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %z = stablehlo.constant dense<0.0> : tensor<3x3xf32>
    %r = stablehlo.select %c, %m, %z : tensor<3x3xi1>, tensor<3x3xf32>
    return %r : tensor<3x3xf32>
  })",
             factor)
      .str();
}

TEST(Equivalence, AFunctionThatIsNaNOnOrdinaryDataGetsNarrowerData) {
  EXPECT_EQ(verdictOf(choleskyTimes("2.0"), choleskyTimes("2.0")), kEqual);
  EXPECT_EQ(verdictOf(choleskyTimes("2.0"), choleskyTimes("3.0")), kDiffers);
}

TEST(Equivalence, WhatIsNaNOnAllDataIsNotDecided) {
  auto text = [](llvm::StringRef last) {
    return llvm::formatv(
               R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
    %q = stablehlo.multiply %x, %x : tensor<4xf32>
    %m = stablehlo.constant dense<1.0> : tensor<4xf32>
    %n = stablehlo.add %q, %m : tensor<4xf32>
    %o = stablehlo.negate %n : tensor<4xf32>
    %l = stablehlo.log %o : tensor<4xf32>
    %r = stablehlo.{0} : tensor<4xf32>
    return %r : tensor<4xf32>
  })",
               last)
        .str();
  };
  Equivalence answer =
      llvm::cantFail(decideTexts(text("add %l, %x"), text("subtract %l, %x")));
  EXPECT_EQ(answer.closingLine(), "not decided (result 0 is NaN on all data; "
                                  "--input gives other data)");
}

/// y where 1.546875 x, computed in bf16 by `product`, is below `limit`; else -y.
static std::string chosenBelow(llvm::StringRef product, llvm::StringRef limit) {
  return llvm::formatv(
             R"(func.func @main(%x: tensor<32xbf16>, %y: tensor<32xf32>) -> tensor<32xf32> {{
    %k = stablehlo.constant dense<{1}> : tensor<32xbf16>
    {0}
    %c = stablehlo.compare LT, %v, %k : (tensor<32xbf16>, tensor<32xbf16>) -> tensor<32xi1>
    %n = stablehlo.negate %y : tensor<32xf32>
    %r = stablehlo.select %c, %y, %n : tensor<32xi1>, tensor<32xf32>
    return %r : tensor<32xf32>
  })",
             product, limit)
      .str();
}

TEST(Equivalence, ADecisionThatRoundingTurnsIsNoDifference) {
  constexpr const char *kTwice =
      "%a = stablehlo.constant dense<1.375> : tensor<32xbf16>\n"
      "%b = stablehlo.constant dense<1.125> : tensor<32xbf16>\n"
      "%s = stablehlo.multiply %x, %a : tensor<32xbf16>\n"
      "%v = stablehlo.multiply %s, %b : tensor<32xbf16>";
  constexpr const char *kOnce =
      "%t = stablehlo.constant dense<1.546875> : tensor<32xbf16>\n"
      "%v = stablehlo.multiply %x, %t : tensor<32xbf16>";
  EXPECT_EQ(lineOf(chosenBelow(kTwice, "1.5"), chosenBelow(kOnce, "1.5")),
            "equal");
  EXPECT_EQ(lineOf(chosenBelow(kTwice, "1.25"), chosenBelow(kOnce, "1.25")),
            "not decided (decisions near a tie, which rounding may turn)");
  EXPECT_EQ(verdictOf(chosenBelow(kTwice, "1.25"), chosenBelow(kOnce, "1.75")),
            kDiffers);
}

/// y where x is less than x times a tenth times ten, else x.
static std::string beyondItself(llvm::StringRef product) {
  return llvm::formatv(
             R"(func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {{
    %t = stablehlo.constant dense<0.1> : tensor<64xf32>
    %n = stablehlo.constant dense<10.0> : tensor<64xf32>
    {0}
    %c = stablehlo.compare LT, %x, %q : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
    %r = stablehlo.select %c, %y, %x : tensor<64xi1>, tensor<64xf32>
    return %r : tensor<64xf32>
  })",
             product)
      .str();
}

TEST(Equivalence, ADecisionThatRoundingTurnsOnAllDataIsNoDifference) {
  EXPECT_EQ(
      lineOf(beyondItself("%p = stablehlo.multiply %x, %t : tensor<64xf32>\n"
                          "%q = stablehlo.multiply %p, %n : tensor<64xf32>"),
             beyondItself("%p = stablehlo.multiply %t, %n : tensor<64xf32>\n"
                          "%q = stablehlo.multiply %p, %x : tensor<64xf32>")),
      "not decided (decisions near a tie, which rounding may turn)");
}

/// The logarithm of (x^2 + 1) / 7.5 times x^2 + 3, of integers x.
static std::string logarithmOf(llvm::StringRef constant,
                               llvm::StringRef lines) {
  return llvm::formatv(
             R"(func.func @main(%i: tensor<16xi32>) -> tensor<16xf32> {{
    %x = stablehlo.convert %i : (tensor<16xi32>) -> tensor<16xf32>
    %c = stablehlo.constant dense<{0}> : tensor<16xf32>
    %o = stablehlo.constant dense<1.0> : tensor<16xf32>
    %t = stablehlo.constant dense<3.0> : tensor<16xf32>
    %q = stablehlo.multiply %x, %x : tensor<16xf32>
    %a = stablehlo.add %q, %o : tensor<16xf32>
    %b = stablehlo.add %q, %t : tensor<16xf32>
    {1}
    return %r : tensor<16xf32>
  })",
             constant, lines)
      .str();
}

TEST(Equivalence, ARoundedConstantBehindALogarithmOfIntegersIsNoDifference) {
  std::string whole =
      logarithmOf("7.5", "%v = stablehlo.divide %a, %c : tensor<16xf32>\n"
                         "%p = stablehlo.multiply %v, %b : tensor<16xf32>\n"
                         "%r = stablehlo.log %p : tensor<16xf32>");
  constexpr const char *kApart =
      "%v = stablehlo.multiply %a, %c : tensor<16xf32>\n"
      "%l = stablehlo.log %v : tensor<16xf32>\n"
      "%m = stablehlo.log %b : tensor<16xf32>\n"
      "%r = stablehlo.add %l, %m : tensor<16xf32>";
  EXPECT_EQ(verdictOf(whole, logarithmOf("0.13333334", kApart)),
            EquivVerdict::NotDecided);
  EXPECT_EQ(verdictOf(whole, logarithmOf("0.15", kApart)), kDiffers);
}

TEST(Equivalence, DataWithoutAnEndIsLeftOut) {
  auto loop = [](const char *step) {
    std::string text = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.abs %x : tensor<4xf32>
  %s = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %r = stablehlo.while(%i = %z) : tensor<f32>
   cond {
    %c = stablehlo.compare LT, %i, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<STEP> : tensor<f32>
    %n = stablehlo.add %i, %one : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %r : tensor<f32>
})";
    return text.replace(text.find("STEP"), 4, step);
  };
  llvm::Expected<Equivalence> same = decideTexts(loop("1.0"), loop("1.0"));
  ASSERT_TRUE(bool(same)) << llvm::toString(same.takeError());
  EXPECT_EQ(same->verdict, EquivVerdict::Equal);
  EXPECT_TRUE(llvm::any_of(same->notes, [](const std::string &note) {
    return note.starts_with("data with infinities and NaN are left out");
  }));
  llvm::Expected<Equivalence> other = decideTexts(loop("1.0"), loop("0.5"));
  ASSERT_TRUE(bool(other)) << llvm::toString(other.takeError());
  EXPECT_EQ(other->verdict, EquivVerdict::Differs);
}
