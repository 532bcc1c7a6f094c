// Every fault that an audit names, compared with its description, written again by
// hand: outputs element by element, programs as programs with that one change.
#include "assay/judge/audit/Audit.h"
#include "assay/judge/audit/WrongOutputs.h"
#include "assay/judge/audit/WrongPrograms.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace assay;
using namespace assay::judge;
using numerics::ElementType;
using numerics::FloatFormat;
using tensor::Tensor;

//===--- Outputs ----------------------------------------------------------===//

static constexpr int64_t kRows = 18, kColumns = 20;

static Tensor floats(const std::vector<float> &values) {
  Tensor t = llvm::cantFail(Tensor::allocate(
      {ElementType::floating(FloatFormat::F32), {kRows, kColumns}}));
  std::copy(values.begin(), values.end(), t.mutableData<float>());
  return t;
}
static std::vector<float> valuesOf(const Tensor &t) {
  return {t.data<float>(), t.data<float>() + t.size()};
}

namespace {
/// A right output with distinct elements, and the facts about it.
struct Right {
  Right() {
    double squares = 0, sum = 0;
    for (int64_t i = 0; i < kRows * kColumns; ++i) {
      // 367 is a prime above the number of elements: no value occurs twice.
      x.push_back(static_cast<float>(i * 37 % 367) - 180.25f);
      squares += x.back() * x.back();
      sum += x.back();
    }
    rms = std::sqrt(squares / static_cast<double>(x.size()));
    mean = sum / static_cast<double>(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      if (std::fabs(std::fabs(x[i]) - rms) <
          std::fabs(std::fabs(x[ordinary]) - rms))
        ordinary = i;
  }
  float at(int64_t row, int64_t column) const {
    return x[static_cast<size_t>(row * kColumns + column)];
  }

  std::vector<float> x;
  double rms, mean;
  size_t ordinary = 0;
};
using Formula = std::function<float(int64_t row, int64_t column)>;
} // namespace

/// The element at a place that each name describes.
static std::map<std::string, Formula> formulas(const Right &right) {
  auto where = [&right](auto hit, auto value) -> Formula {
    return [&right, hit, value](int64_t r, int64_t c) {
      return hit(r, c) ? static_cast<float>(value(r, c)) : right.at(r, c);
    };
  };
  auto always = [](int64_t, int64_t) { return true; };
  auto zero = [](int64_t, int64_t) { return 0; };
  auto isOrdinary = [&right](int64_t r, int64_t c) {
    return static_cast<size_t>(r * kColumns + c) == right.ordinary;
  };
  auto times = [&right](double factor) {
    return [&right, factor](int64_t r, int64_t c) {
      return right.at(r, c) * factor;
    };
  };
  return {
      {"zeros", where(always, zero)},
      {"constant",
       where(always, [&right](int64_t, int64_t) { return right.mean; })},
      {"sign_flipped", where(always, times(-1))},
      {"scaled_1.01", where(always, times(1.01))},
      {"scaled_1.05", where(always, times(1.05))},
      {"one_element", where(isOrdinary,
                            [&right](int64_t r, int64_t c) {
                              return right.at(r, c) + right.rms;
                            })},
      {"one_row", where([](int64_t r, int64_t) { return r == 9; }, zero)},
      {"one_column", where([](int64_t, int64_t c) { return c == 10; }, zero)},
      {"one_tile",
       where([](int64_t r, int64_t c) { return r < 16 && c < 16; }, zero)},
      {"tail", where([](int64_t, int64_t c) { return c >= 16; }, zero)},
      {"block_transposed",
       where([](int64_t r, int64_t c) { return r < 16 && c < 16; },
             [&right](int64_t r, int64_t c) { return right.at(c, r); })},
      {"neighbours_swapped",
       where([](int64_t r, int64_t c) { return r == 9 && c < 2; },
             [&right](int64_t r, int64_t c) { return right.at(r, 1 - c); })},
      {"previous_row",
       where([](int64_t r, int64_t) { return r > 0; },
             [&right](int64_t r, int64_t c) { return right.at(r - 1, c); })},
      {"nan_element", where(isOrdinary, [](int64_t, int64_t) { return NAN; })},
      {"saturated", where(always,
                          [&right](int64_t r, int64_t c) {
                            double x = right.at(r, c);
                            return std::fabs(x) > right.rms
                                       ? std::copysign(right.rms, x)
                                       : x;
                          })},
      {"nan_swallowed", where(isOrdinary, zero)},
      {"input_copied",
       [](int64_t r, int64_t c) { return static_cast<float>(r * 1000 + c); }},
      {"stale",
       [](int64_t r, int64_t c) { return static_cast<float>(-r * 1000 - c); }}};
}

static std::vector<float> every(const Formula &formula) {
  std::vector<float> values;
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kColumns; ++c)
      values.push_back(formula(r, c));
  return values;
}
static bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(AuditFaults, EachWrongOutputIsWhatItsNameSays) {
  Right right;
  std::map<std::string, Formula> said = formulas(right);
  Tensor expected = floats(right.x);
  std::set<std::string> seen;
  for (const WrongOutput &one : llvm::cantFail(
           wrongOutputs(expected, {floats(every(said.at("input_copied")))},
                        floats(every(said.at("stale")))))) {
    EXPECT_TRUE(seen.insert(one.name).second) << one.name;
    ASSERT_TRUE(said.count(one.name)) << one.name << " has no formula here";
    std::vector<float> got = valuesOf(one.got);
    EXPECT_TRUE(sameBits(got, every(said.at(one.name)))) << one.name;
    std::vector<float> due = right.x;
    if (one.name == "nan_swallowed")
      due[right.ordinary] = NAN;
    EXPECT_TRUE(sameBits(valuesOf(one.expected), due)) << one.name;
  }
  for (const auto &[name, formula] : said)
    EXPECT_TRUE(seen.count(name)) << name;
}

TEST(AuditFaults, AnUnchangedOutputIsNotWrong) {
  Tensor ones = floats(std::vector<float>(kRows * kColumns, 1));
  std::set<std::string> seen;
  for (const WrongOutput &one :
       llvm::cantFail(wrongOutputs(ones, {ones}, ones)))
    seen.insert(one.name);
  for (const char *same :
       {"constant", "block_transposed", "previous_row", "neighbours_swapped",
        "saturated", "input_copied", "stale"})
    EXPECT_FALSE(seen.count(same)) << same;
  EXPECT_TRUE(seen.count("zeros") && seen.count("one_element"));
}

//===--- Programs ---------------------------------------------------------===//

/// Something for each edit: a product, a mask, a maximum that is subtracted, a
/// sum, a small constant. A line for each operation.
static constexpr const char *kProgram = R"(
  %dot = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %at = stablehlo.iota dim = 1 : tensor<4x6xi32>
  %limit = stablehlo.constant dense<4> : tensor<4x6xi32>
  %seen = stablehlo.compare LT, %at, %limit : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
  %none = stablehlo.constant dense<-1.0> : tensor<4x6xf32>
  %masked = stablehlo.select %seen, %dot, %none : tensor<4x6xi1>, tensor<4x6xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %max = stablehlo.reduce(%masked init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %less = stablehlo.subtract %masked, %maxes : tensor<4x6xf32>
  %e = stablehlo.exponential %less : tensor<4x6xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %eps = stablehlo.constant dense<1.0e-3> : tensor<4xf32>
  %safe = stablehlo.add %sum, %eps : tensor<4xf32>
  %sums = stablehlo.broadcast_in_dim %safe, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %out = stablehlo.divide %e, %sums : tensor<4x6xf32>
)";

using SharedProgram = std::shared_ptr<const program::Program>;

static SharedProgram parsed(const std::string &body,
                            const char *result = "%out") {
  return llvm::cantFail(program::Program::parse(
      "func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> "
      "tensor<4x6xf32> {" +
          body + "  func.return " + result + " : tensor<4x6xf32>\n}",
      "faults.mlir"));
}

static std::string edited(std::string text, llvm::StringRef from,
                          llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

/// Factors of the product in a format.
static SharedProgram inFormat(llvm::StringRef format) {
  std::string rounded =
      ("\n  %xr = stablehlo.reduce_precision %x, format = " + format +
       " : tensor<4x8xf32>\n  %wr = stablehlo.reduce_precision %w, format = " +
       format + " : tensor<8x6xf32>")
          .str();
  return parsed(rounded +
                edited(kProgram, "general %x, %w", "general %xr, %wr"));
}

/// Every result of floats in bf16.
static SharedProgram stepsInBf16() {
  std::string text;
  std::map<std::string, std::string> now;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(kProgram).trim('\n').split(lines, '\n');
  for (llvm::StringRef line : lines) {
    auto [name, rest] = line.trim().split(" = ");
    std::string right = rest.str();
    for (const auto &[old, other] : now)
      for (const char *end : {",", " "})
        for (size_t at = 0;
             (at = right.find(old + end, at)) != std::string::npos;
             at += other.size())
          right.replace(at, old.size(), other);
    text += "\n  " + name.str() + " = " + right;
    std::string type = rest.rsplit(' ').second.str();
    if (rest.contains("stablehlo.constant") || !rest.ends_with("f32>"))
      continue;
    now[name.str()] = name.str() + "_r";
    text += "\n  " + name.str() + "_r = stablehlo.reduce_precision " +
            name.str() + ", format = e8m7 : " + type;
  }
  return parsed(text + "\n", "%out_r");
}

/// Each edit again, by hand.
static std::map<std::string, SharedProgram> wrongByHand() {
  std::map<std::string, SharedProgram> all;
  all["products_in_tf32"] = inFormat("e8m10");
  all["products_in_f16"] = inFormat("e5m10");
  all["products_in_bf16"] = inFormat("e8m7");
  all["steps_in_bf16"] = stepsInBf16();
  all["k_dropped"] =
      parsed("\n  %xs = stablehlo.slice %x [0:4, 0:7] : (tensor<4x8xf32>) -> "
             "tensor<4x7xf32>\n  %ws = stablehlo.slice %w [0:7, 0:6] : "
             "(tensor<8x6xf32>) -> tensor<7x6xf32>" +
             edited(edited(kProgram, "general %x, %w", "general %xs, %ws"),
                    "(tensor<4x8xf32>, tensor<8x6xf32>)",
                    "(tensor<4x7xf32>, tensor<7x6xf32>)"));
  all["sum_dropped"] = parsed(edited(
      edited(kProgram, "  %sum = stablehlo.reduce(%e",
             "  %cut = stablehlo.slice %e [0:4, 0:5] : (tensor<4x6xf32>) -> "
             "tensor<4x5xf32>\n  %sum = stablehlo.reduce(%cut"),
      "add across dimensions = [1] : (tensor<4x6xf32>",
      "add across dimensions = [1] : (tensor<4x5xf32>"));
  all["mask_off_by_one"] = parsed(edited(kProgram, "compare LT", "compare LE"));
  all["maximum_left"] =
      parsed(edited(kProgram, "exponential %less", "exponential %masked"));
  all["epsilon_left_out"] = parsed(
      edited(kProgram, "broadcast_in_dim %safe", "broadcast_in_dim %sum"));
  return all;
}

static std::vector<float> resultOf(const SharedProgram &program,
                                   llvm::ArrayRef<Tensor> inputs) {
  ThreadPool pool(1);
  auto plan = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), {}));
  program::RunContext context(pool);
  auto results = llvm::cantFail(program::execute(*plan, inputs, context));
  return valuesOf(llvm::cantFail(results[0].tensor().dense()));
}

static std::vector<Tensor> drawnInputs(const SharedProgram &program) {
  return llvm::cantFail(
      fillProgram(*program, "main", FillKind::Normal, /*seed=*/5));
}

TEST(AuditFaults, EachWrongProgramIsWhatItsNameSays) {
  SharedProgram right = parsed(kProgram);
  std::vector<Tensor> inputs = drawnInputs(right);
  std::map<std::string, SharedProgram> byHand = wrongByHand();
  std::vector<float> due = resultOf(right, inputs);
  std::set<std::string> seen;
  for (const WrongProgram &one : llvm::cantFail(wrongPrograms(*right))) {
    EXPECT_TRUE(seen.insert(one.name).second) << one.name;
    ASSERT_TRUE(byHand.count(one.name)) << one.name << " is not written here";
    std::vector<float> got = resultOf(one.program, inputs),
                       wrong = resultOf(byHand[one.name], inputs);
    EXPECT_TRUE(sameBits(got, wrong)) << one.name;
    EXPECT_FALSE(sameBits(got, due)) << one.name << " shows nothing here";
    EXPECT_EQ(one.needsLargeData, one.name == "maximum_left");
  }
  for (const auto &[name, program] : byHand)
    EXPECT_TRUE(seen.count(name)) << name;
  // Comparisons: each of the four becomes its neighbour.
  for (auto [from, to] :
       {std::pair("LT", "LE"), {"LE", "LT"}, {"GT", "GE"}, {"GE", "GT"}})
    for (const WrongProgram &one : llvm::cantFail(wrongPrograms(*parsed(
             edited(kProgram, "compare LT", std::string("compare ") + from)))))
      if (one.name == "mask_off_by_one") {
        EXPECT_TRUE(
            sameBits(resultOf(one.program, inputs),
                     resultOf(parsed(edited(kProgram, "compare LT",
                                            std::string("compare ") + to)),
                              inputs)))
            << from;
      }
}

//===--- The audit --------------------------------------------------------===//

TEST(AuditFaults, AnAuditShowsEachOfThemAndTheBoundSeesThem) {
  ThreadPool pool(1);
  SharedProgram right = parsed(kProgram);
  Audit audit = llvm::cantFail(
      Audit::make(right, "main", drawnInputs(right), pool, /*maxSeconds=*/0));
  std::set<std::string> rights, wrongs;
  for (const AuditCase &one : audit.cases())
    EXPECT_TRUE((one.isRight ? rights : wrongs).insert(one.name).second)
        << one.name;
  EXPECT_EQ(rights, (std::set<std::string>{
                        "same_bits", "rounded_once", "subnormals_flushed",
                        "summed_in_sequence", "other_roundings",
                        "other_roundings_again"}));
  for (const char *name :
       {"zeros", "constant", "sign_flipped", "scaled_1.01", "one_element",
        "stale", "nan_swallowed", "products_in_bf16", "steps_in_bf16",
        "k_dropped", "sum_dropped", "mask_off_by_one", "epsilon_left_out"})
    EXPECT_TRUE(wrongs.count(name)) << name;
  AuditReport byBound = llvm::cantFail(audit.runRule("bound"));
  EXPECT_EQ(byBound.faultsAccepted(), 0);
  EXPECT_EQ(byBound.rightsRejected(), 0);
  EXPECT_EQ(byBound.faults(), static_cast<int64_t>(wrongs.size()));
  // A rule that accepts everything finite finds only NaN, also the NaN of
  // exponentials that overflow.
  AuditReport loose = llvm::cantFail(audit.runRule("close:1e30,1e30"));
  for (const AuditRow &row : loose.rows)
    EXPECT_EQ(row.accepted, !llvm::StringRef(row.name).starts_with("nan_") &&
                                row.name != "maximum_left")
        << row.name;
}
