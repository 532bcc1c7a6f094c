// Pairs of programs: lawful rewrites are equal, planted ones differ.
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
    {"sums in another order",
     "T\n%a = stablehlo.add %x, %y : T\n%b = stablehlo.add %a, %x : T\nreturn "
     "%b : T",
     "T\n%a = stablehlo.add %x, %x : T\n%b = stablehlo.add %y, %a : T\nreturn "
     "%b : T",
     kEqual},
    {"a factor distributed",
     "T\n%a = stablehlo.add %x, %y : T\n%b = stablehlo.multiply %a, %x : "
     "T\nreturn %b : T",
     "T\n%a = stablehlo.multiply %x, %x : T\n%b = stablehlo.multiply %y, %x : "
     "T\n%c = stablehlo.add %a, %b : T\nreturn %c : T",
     kEqual},
    {"a quotient as a product",
     "T\n%a = stablehlo.divide %x, %y : T\nreturn %a : T",
     "T\n%o = stablehlo.constant dense<1.0> : T\n%a = stablehlo.divide %o, %y "
     ": T\n%b = stablehlo.multiply %x, %a : T\nreturn %b : T",
     kEqual},
    {"exp of a sum",
     "T\n%a = stablehlo.add %x, %y : T\n%b = stablehlo.exponential %a : "
     "T\nreturn %b : T",
     "T\n%a = stablehlo.exponential %x : T\n%b = stablehlo.exponential %y : "
     "T\n%c = stablehlo.multiply %a, %b : T\nreturn %c : T",
     kEqual},
    {"exp of a sum, nested",
     "T\n%a = stablehlo.add %x, %y : T\n%b = stablehlo.exponential %a : "
     "T\n%c = stablehlo.exponential %b : T\nreturn %c : T",
     "T\n%a = stablehlo.exponential %x : T\n%b = stablehlo.exponential %y : "
     "T\n%c = stablehlo.multiply %a, %b : T\n%d = stablehlo.exponential %c : "
     "T\nreturn %d : T",
     kEqual},
    {"logistic by exp", "T\n%a = stablehlo.logistic %x : T\nreturn %a : T",
     "T\n%o = stablehlo.constant dense<1.0> : T\n%n = stablehlo.negate %x : "
     "T\n%e = stablehlo.exponential %n : T\n%p = stablehlo.add %o, %e : T\n%a "
     "= stablehlo.divide %o, %p : T\nreturn %a : T",
     kEqual},
    {"tanh by logistic", "T\n%a = stablehlo.tanh %x : T\nreturn %a : T",
     "T\n%o = stablehlo.constant dense<1.0> : T\n%t = stablehlo.constant "
     "dense<2.0> : T\n%d = stablehlo.multiply %t, %x : T\n%l = "
     "stablehlo.logistic %d : T\n%m = stablehlo.multiply %t, %l : T\n%a = "
     "stablehlo.subtract %m, %o : T\nreturn %a : T",
     kEqual},
    {"rsqrt",
     "T\n%q = stablehlo.multiply %x, %x : T\n%a = stablehlo.rsqrt %q : "
     "T\nreturn %a : T",
     "T\n%o = stablehlo.constant dense<1.0> : T\n%q = stablehlo.multiply %x, "
     "%x : T\n%s = stablehlo.sqrt %q : T\n%a = stablehlo.divide %o, %s : "
     "T\nreturn %a : T",
     kEqual},
    {"a root squared",
     "T\n%q = stablehlo.multiply %x, %x : T\n%w = stablehlo.multiply %y, %y : "
     "T\n%p = stablehlo.add %q, %w : T\nreturn %p : T",
     "T\n%q = stablehlo.multiply %x, %x : T\n%w = stablehlo.multiply %y, %y : "
     "T\n%p = stablehlo.add %q, %w : T\n%s = stablehlo.sqrt %p : T\n%a = "
     "stablehlo.multiply %s, %s : T\nreturn %a : T",
     kEqual},
    {"log of exp", "T\nreturn %x : T",
     "T\n%e = stablehlo.exponential %x : T\n%l = stablehlo.log %e : T\nreturn "
     "%l : T",
     kEqual},
    {"a power as a product",
     "T\n%t = stablehlo.constant dense<3.0> : T\n%a = stablehlo.power %x, %t "
     ": T\nreturn %a : T",
     "T\n%q = stablehlo.multiply %x, %x : T\n%a = stablehlo.multiply %q, %x : "
     "T\nreturn %a : T",
     kEqual},
    {"expm1 and log_plus_one",
     "T\n%a = stablehlo.exponential_minus_one %x : T\n%l = "
     "stablehlo.log_plus_one %a : T\nreturn %l : T",
     "T\nreturn %x : T", kEqual},
    {"a sum in two halves", "R\n" SUM("%x") "return %s : R",
     "R\n%z = stablehlo.constant dense<0.0> : S\n%l = stablehlo.slice %x "
     "[0:4, 0:3] : (T) -> tensor<4x3xf32>\n%h = stablehlo.slice %x [0:4, 3:8] "
     ": (T) -> tensor<4x5xf32>\n%a = stablehlo.reduce(%l init: %z) applies "
     "stablehlo.add across dimensions = [1] : (tensor<4x3xf32>, S) -> R\n%b = "
     "stablehlo.reduce(%h init: %z) applies stablehlo.add across dimensions = "
     "[1] : (tensor<4x5xf32>, S) -> R\n%s = stablehlo.add %a, %b : R\nreturn "
     "%s : R",
     kEqual},
    {"a product as a sum",
     "R\n%d = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : "
     "(T, tensor<8xf32>) -> R\nreturn %d : R",
     "R\n%w = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<8xf32>) -> "
     "T\n%p = stablehlo.multiply %x, %w : T\n" SUM("%p") "return %s : R",
     kEqual},
    {"a transposition of a transposition",
     "T\n%a = stablehlo.negate %x : T\nreturn %a : T",
     "T\n%t = stablehlo.transpose %x, dims = [1, 0] : (T) -> "
     "tensor<8x4xf32>\n%n = stablehlo.negate %t : tensor<8x4xf32>\n%a = "
     "stablehlo.transpose %n, dims = [1, 0] : (tensor<8x4xf32>) -> T\nreturn "
     "%a : T",
     kEqual},
    {"a branch as a choice",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%a = stablehlo.maximum %x, "
     "%z : T\nreturn %a : T",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%a = stablehlo.maximum %z, "
     "%x : T\nreturn %a : T",
     kEqual},
    {"a constant folded",
     "T\n%c = stablehlo.constant dense<768.0> : T\n%d = stablehlo.constant "
     "dense<0.1> : T\n%a = stablehlo.divide %x, %c : T\n%b = "
     "stablehlo.multiply %a, %d : T\nreturn %b : T",
     "T\n%d = stablehlo.constant dense<0.1> : T\n%c = stablehlo.constant "
     "dense<0.00130208337> : T\n%a = stablehlo.multiply %x, %c : T\n%b = "
     "stablehlo.multiply %a, %d : T\nreturn %b : T",
     kPrecision},
    {"a conversion there and back",
     "T\n%h = stablehlo.convert %x : (T) -> tensor<4x8xbf16>\n%a = "
     "stablehlo.convert %h : (tensor<4x8xbf16>) -> T\nreturn %a : T",
     "T\nreturn %x : T", kPrecision},
    {"a wider type there and back",
     "T\n%h = stablehlo.convert %x : (T) -> tensor<4x8xf64>\n%a = "
     "stablehlo.convert %h : (tensor<4x8xf64>) -> T\nreturn %a : T",
     "T\nreturn %x : T", kEqual},
    {"rounded twice is rounded once",
     "T\n%h = stablehlo.convert %x : (T) -> tensor<4x8xbf16>\n%a = "
     "stablehlo.convert %h : (tensor<4x8xbf16>) -> T\n%i = stablehlo.convert "
     "%a : (T) -> tensor<4x8xbf16>\n%b = stablehlo.convert %i : "
     "(tensor<4x8xbf16>) -> T\nreturn %b : T",
     "T\n%h = stablehlo.convert %x : (T) -> tensor<4x8xbf16>\n%a = "
     "stablehlo.convert %h : (tensor<4x8xbf16>) -> T\nreturn %a : T",
     kEqual},
};

static const Pair kPlanted[] = {
    {"operands of a subtraction swapped",
     "T\n%a = stablehlo.subtract %x, %y : T\nreturn %a : T",
     "T\n%a = stablehlo.subtract %y, %x : T\nreturn %a : T", kDiffers},
    {"an epsilon moved out of the root",
     "T\n%e = stablehlo.constant dense<1.0e-05> : T\n%q = stablehlo.multiply "
     "%x, %x : T\n%p = stablehlo.add %q, %e : T\n%a = stablehlo.sqrt %p : "
     "T\nreturn %a : T",
     "T\n%e = stablehlo.constant dense<1.0e-05> : T\n%q = stablehlo.multiply "
     "%x, %x : T\n%p = stablehlo.sqrt %q : T\n%a = stablehlo.add %p, %e : "
     "T\nreturn %a : T",
     kDiffers},
    {"another epsilon",
     "T\n%e = stablehlo.constant dense<1.0e-05> : T\n%p = stablehlo.add %x, "
     "%e : T\nreturn %p : T",
     "T\n%e = stablehlo.constant dense<1.0e-06> : T\n%p = stablehlo.add %x, "
     "%e : T\nreturn %p : T",
     kDiffers},
    {"an index one off",
     "R\n%a = stablehlo.slice %x [0:4, 3:4] : (T) -> tensor<4x1xf32>\n%b = "
     "stablehlo.reshape %a : (tensor<4x1xf32>) -> R\nreturn %b : R",
     "R\n%a = stablehlo.slice %x [0:4, 4:5] : (T) -> tensor<4x1xf32>\n%b = "
     "stablehlo.reshape %a : (tensor<4x1xf32>) -> R\nreturn %b : R",
     kDiffers},
    {"a mask one off",
     "T\n%i = stablehlo.iota dim = 1 : tensor<4x8xi32>\n%c = "
     "stablehlo.constant dense<5> : tensor<4x8xi32>\n%m = stablehlo.compare "
     "LT, %i, %c : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>\n%a = "
     "stablehlo.select %m, %x, %y : tensor<4x8xi1>, T\nreturn %a : T",
     "T\n%i = stablehlo.iota dim = 1 : tensor<4x8xi32>\n%c = "
     "stablehlo.constant dense<5> : tensor<4x8xi32>\n%m = stablehlo.compare "
     "LE, %i, %c : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>\n%a = "
     "stablehlo.select %m, %x, %y : tensor<4x8xi1>, T\nreturn %a : T",
     kDiffers},
    {"a term of a sum dropped", "R\n" SUM("%x") "return %s : R",
     "R\n%z = stablehlo.constant dense<0.0> : S\n%l = stablehlo.slice %x "
     "[0:4, 0:7] : (T) -> tensor<4x7xf32>\n%s = stablehlo.reduce(%l init: %z) "
     "applies stablehlo.add across dimensions = [1] : (tensor<4x7xf32>, S) -> "
     "R\nreturn %s : R",
     kDiffers},
    {"a zero's sign", "T\n%a = stablehlo.negate %x : T\nreturn %a : T",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%a = stablehlo.subtract %z, "
     "%x : T\nreturn %a : T",
     kDiffers},
    {"NaN let through",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%a = stablehlo.maximum %x, "
     "%z : T\nreturn %a : T",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%m = stablehlo.compare GT, "
     "%x, %z : (T, T) -> tensor<4x8xi1>\n%a = stablehlo.select %m, %x, %z : "
     "tensor<4x8xi1>, T\nreturn %a : T",
     kDiffers},
    {"a product with zero gone",
     "T\n%z = stablehlo.constant dense<0.0> : T\n%a = stablehlo.multiply %x, "
     "%z : T\nreturn %a : T",
     "T\n%z = stablehlo.constant dense<0.0> : T\nreturn %z : T", kDiffers},
    {"a constant of more digits",
     "T\n%c = stablehlo.constant dense<0.1> : T\n%a = stablehlo.multiply %x, "
     "%c : T\nreturn %a : T",
     "T\n%c = stablehlo.constant dense<0.100000015> : T\n%a = "
     "stablehlo.multiply %x, %c : T\nreturn %a : T",
     kDiffers},
    {"tanh's twice forgotten", "T\n%a = stablehlo.tanh %x : T\nreturn %a : T",
     "T\n%o = stablehlo.constant dense<1.0> : T\n%t = stablehlo.constant "
     "dense<2.0> : T\n%l = stablehlo.logistic %x : T\n%m = "
     "stablehlo.multiply %t, %l : T\n%a = stablehlo.subtract %m, %o : "
     "T\nreturn %a : T",
     kDiffers},
    {"erf for tanh", "T\n%a = stablehlo.tanh %x : T\nreturn %a : T",
     "T\n%a = chlo.erf %x : T -> T\nreturn %a : T", kDiffers},
    {"the larger for the smaller",
     "T\n%a = stablehlo.maximum %x, %y : T\nreturn %a : T",
     "T\n%a = stablehlo.minimum %x, %y : T\nreturn %a : T", kDiffers},
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

TEST(Equivalence, ALawThatIsOffIsNone) {
  expectVerdict({"exp", kLawful[3].a, kLawful[3].b, kDiffers}, "-exp");
  expectVerdict({"logistic", kLawful[5].a, kLawful[5].b, kDiffers},
                "-logistic");
  expectVerdict({"zero", kPlanted[6].a, kPlanted[6].b, kEqual}, "all");
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

/// The closing line about a program and itself.
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
    %d = stablehlo.reshape %c : (tensor<f32>) -> tensor<f32>
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
  EXPECT_NE(lineOf(shifted("1"), shifted("2")).find("the integers part"),
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
