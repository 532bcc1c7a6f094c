// Every row of OpBounds.def: a result just outside the bound of a correct but
// poor implementation fails, one just inside passes. The bounds are repeated
// here, from the sources that OpBounds.def names, so that a bound that grows is
// noticed; a row without a case fails.
#include "assay/judge/program/ProgramTruth.h"
#include "assay/numerics/Convert.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Ulp.h"
#include "assay/program/Types.h"

#include "gtest/gtest.h"

#include <cmath>
#include <map>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

namespace {
/// The unit of an amount: a unit in the last place of the result (or of 1,
/// where that is more), the result on absolute arguments, or the norm of the
/// result.
enum class Of : uint8_t { Ulp, UlpOfOne, Sizes, Norm };

struct Case {
  std::string operands, result; ///< types, those of operands by ';'
  double amount = 0;
  Of of = Of::Ulp;
  double low = -2, high = 2; ///< of the arguments' values
  std::string attributes = "", body = "";
};
} // namespace

static Case unary(double ulps, double low = -2, double high = 2) {
  return {"tensor<24xf32>", "tensor<24xf32>", ulps, Of::Ulp, low, high};
}
static Case binary(double ulps, double low = -2, double high = 2) {
  return {"tensor<24xf32>;tensor<24xf32>",
          "tensor<24xf32>",
          ulps,
          Of::Ulp,
          low,
          high};
}
static Case integers(int count, const char *type = "i32") {
  std::string tensor = std::string("tensor<24x") + type + ">", all = tensor;
  for (int i = 1; i < count; ++i)
    all += ";" + tensor;
  return {all, tensor, 0, Of::Ulp, 1, 20};
}

static const char *const kAdd = R"(({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }))";
static const char *const kLess = R"(({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %r : tensor<i1>
    }))";

/// 6 sqrt(depth) u: sums of any data in f32 (docs/verify.md).
static double ofSum(double depth) {
  double u = 0x1p-24;
  return std::min(depth * u / (1 - depth * u), 6 * std::sqrt(depth) * u);
}

static void addElementwise(std::map<std::string, Case> &cases) {
  for (const char *name : {"add", "subtract", "multiply", "divide"})
    cases[std::string("stablehlo.") + name] = binary(0.5);
  cases["stablehlo.sqrt"] = unary(0.5, 0.1, 9);
  cases["chlo.square"] = unary(0.5);
  cases["stablehlo.cbrt"] = unary(4);
  cases["stablehlo.rsqrt"] = unary(2, 0.1, 9);
  for (const char *name : {"exponential", "exponential_minus_one"})
    cases[std::string("stablehlo.") + name] = unary(3);
  for (const char *name : {"log", "log_plus_one"})
    cases[std::string("stablehlo.") + name] = unary(3, 0.1, 9);
  cases["stablehlo.logistic"] = unary(6);
  cases["stablehlo.power"] = binary(16, 0.1, 3);
  for (const char *name : {"stablehlo.sine", "stablehlo.cosine", "chlo.cosh",
                           "chlo.sinh", "chlo.asinh"})
    cases[name] = unary(4);
  for (const char *name :
       {"stablehlo.tan", "chlo.tan", "stablehlo.tanh", "chlo.atan"})
    cases[name] = unary(5, -1.4, 1.4);
  cases["stablehlo.atan2"] = binary(6);
  cases["chlo.acos"] = cases["chlo.asin"] = unary(4, -0.9, 0.9);
  cases["chlo.acosh"] = unary(4, 1.1, 9);
  cases["chlo.atanh"] = unary(5, -0.9, 0.9);
  for (const char *name : {"chlo.erf", "chlo.erfc", "chlo.bessel_i1e"})
    cases[name] = unary(16);
  cases["chlo.erf_inv"] = unary(16, -0.9, 0.9);
  for (const char *name : {"chlo.lgamma", "chlo.digamma"})
    cases[name] = {
        "tensor<24xf32>", "tensor<24xf32>", 16, Of::UlpOfOne, 0.2, 9};
}

/// Operations that pick, move, compare or convert one element.
static void addExact(std::map<std::string, Case> &cases) {
  for (const char *name :
       {"abs", "negate", "sign", "ceil", "floor", "round_nearest_afz",
        "round_nearest_even", "optimization_barrier"})
    cases[std::string("stablehlo.") + name] = unary(0, 0.6, 9);
  Case &sharded = cases["sdy.sharding_constraint"] = unary(0);
  sharded.attributes = R"(<{sharding = #sdy.sharding<mesh<["x"=2]>, [{}]>}>)";
  for (const char *name : {"maximum", "minimum"})
    cases[std::string("stablehlo.") + name] = binary(0);
  cases["stablehlo.remainder"] = binary(0, 0.3, 9);
  cases["chlo.next_after"] = binary(0);
  cases["stablehlo.clamp"] = {"tensor<24xf32>;tensor<24xf32>;tensor<24xf32>",
                              "tensor<24xf32>"};
  cases["stablehlo.complex"] = {"tensor<24xf32>;tensor<24xf32>",
                                "tensor<24xcomplex<f32>>"};
  cases["stablehlo.real"] =
      cases["stablehlo.imag"] = {"tensor<24xcomplex<f32>>", "tensor<24xf32>"};
  cases["chlo.conj"] = {"tensor<24xcomplex<f32>>", "tensor<24xcomplex<f32>>"};
  cases["stablehlo.convert"] = {"tensor<24xf32>", "tensor<24xbf16>", 0.5};
  cases["stablehlo.compare"] = {
      "tensor<24xf32>;tensor<24xf32>",
      "tensor<24xi1>",
      0,
      Of::Ulp,
      -2,
      2,
      "<{comparison_direction = #stablehlo<comparison_direction LT>}>"};
  cases["stablehlo.select"] = {"tensor<24xi1>;tensor<24xf32>;tensor<24xf32>",
                               "tensor<24xf32>"};
  cases["stablehlo.reduce_precision"] = {
      "tensor<24xf32>",
      "tensor<24xf32>",
      0,
      Of::Ulp,
      -2,
      2,
      "<{exponent_bits = 8 : i32, mantissa_bits = 23 : i32}>"};
  cases["stablehlo.bitcast_convert"] = {"tensor<24xf32>", "tensor<24xi32>"};
  for (const char *name : {"stablehlo.is_finite", "chlo.is_inf",
                           "chlo.is_neg_inf", "chlo.is_pos_inf"})
    cases[name] = {"tensor<24xf32>", "tensor<24xi1>"};
  cases["chlo.constant_like"] = {
      "tensor<24xf32>",       "tensor<24xf32>", 0, Of::Ulp, -2, 2,
      "<{value = 1.5 : f32}>"};
}

static void addIntegers(std::map<std::string, Case> &cases) {
  for (const char *name :
       {"stablehlo.and", "stablehlo.or", "stablehlo.xor", "chlo.mulhi",
        "stablehlo.shift_left", "stablehlo.shift_right_arithmetic",
        "stablehlo.shift_right_logical"})
    cases[name] = integers(2);
  for (const char *name : {"not", "count_leading_zeros", "popcnt"})
    cases[std::string("stablehlo.") + name] = integers(1);
  cases["stablehlo.iota"] = {
      "", "tensor<24xf32>", 0, Of::Ulp, 0, 1, "<{iota_dimension = 0 : i64}>"};
  cases["stablehlo.constant"] = {"",
                                 "tensor<24xf32>",
                                 0,
                                 Of::Ulp,
                                 0,
                                 1,
                                 "<{value = dense<1.5> : tensor<24xf32>}>"};
  for (const char *name : {"partition_id", "replica_id"})
    cases[std::string("stablehlo.") + name] = {"", "tensor<ui32>"};
  cases["stablehlo.get_dimension_size"] = {
      "tensor<24xf32>",         "tensor<i32>", 0, Of::Ulp, 0, 1,
      "<{dimension = 0 : i64}>"};
}

static void addMoves(std::map<std::string, Case> &cases) {
  auto moves = [&](const char *name, const char *operands, const char *result,
                   const char *attributes = "") {
    cases[std::string("stablehlo.") + name] = {
        operands, result, 0, Of::Ulp, -2, 2, attributes};
  };
  moves("broadcast", "tensor<4xf32>", "tensor<3x4xf32>",
        "<{broadcast_sizes = array<i64: 3>}>");
  moves("broadcast_in_dim", "tensor<4xf32>", "tensor<3x4xf32>",
        "<{broadcast_dimensions = array<i64: 1>}>");
  moves("concatenate", "tensor<4xf32>;tensor<4xf32>", "tensor<8xf32>",
        "<{dimension = 0 : i64}>");
  moves(
      "pad", "tensor<4xf32>;tensor<f32>", "tensor<6xf32>",
      "<{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 1>, "
      "interior_padding = array<i64: 0>}>");
  moves("reshape", "tensor<4xf32>", "tensor<2x2xf32>");
  moves("reverse", "tensor<4xf32>", "tensor<4xf32>",
        "<{dimensions = array<i64: 0>}>");
  moves("slice", "tensor<4xf32>", "tensor<2xf32>",
        "<{start_indices = array<i64: 1>, limit_indices = array<i64: 3>, "
        "strides = array<i64: 1>}>");
  moves("transpose", "tensor<3x4xf32>", "tensor<4x3xf32>",
        "<{permutation = array<i64: 1, 0>}>");
  moves("dynamic_slice", "tensor<4xf32>;tensor<i32>", "tensor<2xf32>",
        "<{slice_sizes = array<i64: 2>}>");
  moves("dynamic_update_slice", "tensor<4xf32>;tensor<2xf32>;tensor<i32>",
        "tensor<4xf32>");
  moves(
      "gather", "tensor<4xf32>;tensor<3x1xi32>", "tensor<3xf32>",
      "<{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
      "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: "
      "1>}>");
  moves("torch_index_select", "tensor<4xf32>;tensor<3xi32>", "tensor<3xf32>",
        "<{dim = 0 : i64, batch_dims = 0 : i64}>");
  cases["stablehlo.sort"] = {"tensor<24xf32>",
                             "tensor<24xf32>",
                             0,
                             Of::Ulp,
                             -2,
                             2,
                             "<{dimension = 0 : i64}>",
                             kLess};
  cases["stablehlo.map"] = {"tensor<24xf32>;tensor<24xf32>",
                            "tensor<24xf32>",
                            0,
                            Of::Ulp,
                            -2,
                            2,
                            "<{dimensions = array<i64: 0>}>",
                            R"(({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.maximum %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }))"};
}

static void addSums(std::map<std::string, Case> &cases) {
  cases["stablehlo.dot"] = {"tensor<4x96xf32>;tensor<96x5xf32>",
                            "tensor<4x5xf32>", ofSum(96), Of::Sizes};
  cases["stablehlo.dot_general"] = {
      "tensor<4x96xf32>;tensor<96x5xf32>",
      "tensor<4x5xf32>",
      ofSum(96),
      Of::Sizes,
      -2,
      2,
      "<{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = "
      "[1], rhs_contracting_dimensions = [0]>}>"};
  const std::string window =
      "<{batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
      "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>";
  cases["stablehlo.convolution"] = {"tensor<1x16x8xf32>;tensor<3x8x4xf32>",
                                    "tensor<1x14x4xf32>",
                                    ofSum(24),
                                    Of::Sizes,
                                    -2,
                                    2,
                                    window + "}>"};
  cases["stablehlo.reduce"] = {"tensor<3x200xf32>;tensor<f32>",
                               "tensor<3xf32>",
                               ofSum(202),
                               Of::Sizes,
                               -2,
                               2,
                               "<{dimensions = array<i64: 1>}>",
                               kAdd};
  cases["stablehlo.reduce_window"] = {"tensor<48xf32>;tensor<f32>",
                                      "tensor<33xf32>",
                                      ofSum(18),
                                      Of::Sizes,
                                      -2,
                                      2,
                                      "<{window_dimensions = array<i64: 16>}>",
                                      kAdd};
  cases["stablehlo.fft"] = {
      "tensor<32xcomplex<f32>>",
      "tensor<32xcomplex<f32>>",
      7 * 6 * 0x1p-24 * M_SQRT2,
      Of::Norm,
      -2,
      2,
      "<{fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 32>}>"};
}

/// Rows whose results other rows' tests make by the same rule, with the row.
static const std::map<std::string, std::string> kAsRow = {
    {"stablehlo.dynamic_broadcast_in_dim", "stablehlo.broadcast_in_dim"},
    {"stablehlo.dynamic_pad", "stablehlo.pad"},
    {"stablehlo.dynamic_reshape", "stablehlo.reshape"},
    {"stablehlo.real_dynamic_slice", "stablehlo.slice"},
    {"stablehlo.dynamic_gather", "stablehlo.gather"},
    {"stablehlo.dynamic_iota", "stablehlo.iota"},
    {"stablehlo.dynamic_conv", "stablehlo.convolution"},
    {"stablehlo.scatter", "stablehlo.reduce"},
    {"stablehlo.select_and_scatter", "stablehlo.reduce"},
    {"stablehlo.rng_bit_generator", "stablehlo.and"},
    {"chlo.top_k", "stablehlo.sort"}};

/// The text of @main.
static std::string programOf(const std::string &name, const Case &c) {
  std::string arguments, operands, types = c.operands;
  llvm::SmallVector<llvm::StringRef> parts;
  if (!c.operands.empty())
    llvm::StringRef(c.operands).split(parts, ';');
  for (auto [i, type] : llvm::enumerate(parts)) {
    std::string value = "%a" + std::to_string(i);
    arguments += (i ? ", " : "") + value + ": " + type.str();
    operands += (i ? ", " : "") + value;
  }
  std::replace(types.begin(), types.end(), ';', ',');
  return "func.func @main(" + arguments + ") -> " + c.result + " {\n  %0 = \"" +
         name + "\"(" + operands + ") " + c.attributes + " " + c.body + " : (" +
         types + ") -> " + c.result + "\n  return %0 : " + c.result + "\n}";
}

/// Arguments with all their bits between low and high; absolute, if requested.
static std::vector<Tensor> argumentsOf(const program::Program &program,
                                       const Case &c, bool absolute) {
  std::vector<Tensor> inputs;
  auto function = llvm::cantFail(program.function(""));
  uint64_t state = 7;
  for (mlir::Type type : function.getArgumentTypes()) {
    Tensor tensor = llvm::cantFail(
        Tensor::allocate(llvm::cantFail(program::tensorTypeOf(type))));
    ElementType element = tensor.elementType();
    ElementType wide = element.isComplex()
                           ? ElementType::complex(FloatFormat::F64)
                           : ElementType::floating(FloatFormat::F64);
    std::vector<double> values(
        static_cast<size_t>(tensor.size() * (element.isComplex() ? 2 : 1)));
    for (double &x : values) {
      state = state * 6364136223846793005 + 1442695040888963407;
      x = c.low + (c.high - c.low) * static_cast<double>(state >> 11) * 0x1p-53;
      x = static_cast<float>(absolute ? std::fabs(x) : x);
    }
    if (type == function.getArgumentTypes().front() && c.low > 0 &&
        c.high == 20)
      values.front() = 5;
    numerics::convertArray(wide, values.data(), element, tensor.mutableBytes(),
                           tensor.size());
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

static ProgramTruth truthOf(const std::string &text, const Case &c,
                            bool absolute) {
  auto program = llvm::cantFail(program::Program::parse(text, "test"));
  ThreadPool pool(1);
  return llvm::cantFail(
      computeTruth(program, "", argumentsOf(*program, c, absolute), pool, 0));
}

/// The amounts in numbers, for each part of the result.
static std::vector<double> amountsOf(const std::string &text, const Case &c,
                                     const std::vector<double> &exact,
                                     FloatFormat format) {
  std::vector<double> amounts(exact.size());
  std::vector<double> sizes;
  if (c.of == Of::Sizes)
    sizes = exactValues(truthOf(text, c, true).results[0]);
  double squares = 0;
  for (double x : exact)
    squares += x * x;
  for (size_t i = 0; i < exact.size(); ++i) {
    double x = exact[i];
    if (c.of == Of::UlpOfOne)
      x = std::max(1.0, std::fabs(x));
    amounts[i] = c.amount * (c.of == Of::Sizes  ? sizes[i]
                             : c.of == Of::Norm ? std::sqrt(squares)
                                                : numerics::ulpOf(x, format));
  }
  return amounts;
}

/// The exact results moved by a share of the amounts, in units of the type: down
/// to it when inside, up when outside (an error of at least a unit).
static std::vector<double> moved(const std::vector<double> &exact,
                                 const std::vector<double> &own,
                                 const std::vector<double> &amounts,
                                 double share, FloatFormat format) {
  std::vector<double> out(exact.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    double unit = numerics::ulpOf(exact[i], format),
           side = own[i] >= exact[i] ? 1 : -1;
    double steps =
        share > 1 ? std::max(1.0, std::ceil(share * amounts[i] / unit))
                  : std::max(0.0, std::floor(share * amounts[i] / unit - 0.5));
    out[i] = own[i] + side * steps * unit;
  }
  return out;
}

static void checkFloats(const std::string &name, const std::string &text,
                        const Case &c, const ProgramTruth &truth) {
  const Tensor &result = truth.results[0].tensor();
  ElementType type = result.elementType();
  std::vector<double> exact = exactValues(truth.results[0]),
                      own = exactValues(program::Value(result)),
                      amounts = amountsOf(text, c, exact, type.format);
  for (double share : {0.9, 1.5}) {
    std::vector<double> values = moved(exact, own, amounts, share, type.format);
    Tensor got = llvm::cantFail(Tensor::allocate(result.type()));
    numerics::convertArray(wideType(type), values.data(), type,
                           got.mutableBytes(), got.size());
    Verdict verdict = judgeResult(truth, 0, got.bytes());
    EXPECT_EQ(verdict.undecided, 0) << name;
    EXPECT_EQ(verdict.failures, share > 1 ? verdict.elements : 0)
        << name << ": at " << share
        << " of what a poor implementation is off by";
  }
}

static void checkIntegers(const std::string &name, const ProgramTruth &truth) {
  const Tensor result = llvm::cantFail(truth.results[0].tensor().dense());
  EXPECT_TRUE(judgeResult(truth, 0, result.bytes()).passed()) << name;
  std::vector<std::byte> bytes(result.bytes(),
                               result.bytes() + result.denseBytes());
  auto width = static_cast<size_t>(result.elementType().storageBytes());
  for (size_t at = 0; at < bytes.size(); at += width)
    bytes[at] ^= std::byte{1};
  EXPECT_EQ(judgeResult(truth, 0, bytes.data()).failures, result.size())
      << name;
}

TEST(JustOutside, EveryRowFailsResultsBeyondAPoorImplementation) {
  std::map<std::string, Case> cases;
  addElementwise(cases);
  addExact(cases);
  addIntegers(cases);
  addMoves(cases);
  addSums(cases);
  const char *rows[] = {
#define ASSAY_OP_BOUND(name, kind, ulp) name,
#include "assay/judge/program/OpBounds.def"
  };
  for (const std::string name : rows) {
    BoundKind kind = findOpBound(name)->kind;
    if (kind == BoundKind::Collective) // FormsOfSeveralOperations
      continue;
    if (kind == BoundKind::Solve || kind == BoundKind::Factor)
      continue; // LinearBoundTest.cpp
    if (kind == BoundKind::Quantize)
      continue; // BoundsTest.cpp
    if (auto like = kAsRow.find(name); like != kAsRow.end()) {
      ASSERT_TRUE(cases.count(like->second)) << name;
      EXPECT_EQ(findOpBound(name)->ulp, findOpBound(like->second)->ulp) << name;
      continue;
    }
    auto found = cases.find(name);
    if (found == cases.end()) {
      ADD_FAILURE() << name << " has a bound and no case here";
      continue;
    }
    std::string text = programOf(name, found->second);
    ProgramTruth truth = truthOf(text, found->second, false);
    if (isFloating(truth.results[0]))
      checkFloats(name, text, found->second, truth);
    else
      checkIntegers(name, truth);
  }
}

// The errors of a sum over two processes: each one's exponential (3 units), and
// one addition. Forms of a division by a constant and by a root.
TEST(JustOutside, FormsOfSeveralOperations) {
  struct Form {
    const char *text;
    double inside, outside; ///< in units in the last place
  };
  for (const Form &form :
       {Form{R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
    %1 = stablehlo.exponential %p : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})",
             2, 5},
        Form{R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{}]>] manual_axes={"x"} (%p: tensor<4xf32>) {
    %1 = "stablehlo.all_reduce"(%p) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%q: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %q, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})",
             0, 5},
        Form{R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<8xf32>
  %0 = stablehlo.divide %a, %c : tensor<8xf32>
  return %0 : tensor<8xf32>
})",
             1, 3},
        Form{R"(func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant dense<4.0> : tensor<8xf32>
  %0 = stablehlo.divide %a, %c : tensor<8xf32>
  return %0 : tensor<8xf32>
})",
             0, 1}}) {
    Case c{"tensor<8xf32>", "tensor<8xf32>", 1, Of::Ulp, 0.3, 2};
    ProgramTruth truth = truthOf(form.text, c, false);
    EXPECT_EQ(truth.noBound, "");
    const Tensor &result = truth.results[0].tensor();
    std::vector<double> exact = exactValues(truth.results[0]),
                        own = exactValues(program::Value(result));
    for (double units : {form.inside, form.outside}) {
      Tensor got = llvm::cantFail(Tensor::allocate(result.type()));
      for (size_t i = 0; i < own.size(); ++i)
        got.mutableData<float>()[i] = static_cast<float>(
            own[i] + units * numerics::ulpOf(exact[i], FloatFormat::F32));
      EXPECT_EQ(judgeResult(truth, 0, got.bytes()).passed(),
                units == form.inside)
          << form.text << units;
    }
  }
}
