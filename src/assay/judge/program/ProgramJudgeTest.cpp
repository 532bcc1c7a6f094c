// Every program of inputs/op/programs, on which bounds say little: an engine
// that sums in another way is never FAILED; one with a fault in any of its
// operations is never PASSED when the fault shows in the results at all.
#include "assay/judge/program/ProgramJudge.h"
#include "assay/judge/program/ArgumentRoles.h"
#include "assay/judge/program/ProgramFill.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/reference/Reference.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;
using SharedProgram = std::shared_ptr<const program::Program>;

namespace {
enum class FaultKind { Scale, DropEdge, OneElement };

/// Damages the result of one operation, each time it runs.
class Fault final : public program::Observer {
public:
  Fault(mlir::Operation *op, FaultKind kind) : op_(op), kind_(kind) {}
  void amend(const program::StepNode &node,
             llvm::MutableArrayRef<Value> results) override {
    if (node.op == op_ && isFloating(results[0]) &&
        results[0].tensor().size() > 0)
      results[0] = Value(damaged(results[0].tensor()));
  }
  void onStep(const program::StepNode &, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value>, int64_t) override {}

private:
  Tensor damaged(const Tensor &from) const {
    std::vector<double> x = exactValues(Value(from));
    double squares = 0;
    for (double element : x)
      squares += element * element;
    double rms = std::sqrt(squares / static_cast<double>(x.size()));
    if (kind_ == FaultKind::Scale)
      for (double &element : x)
        element *= 1.03;
    else if (kind_ == FaultKind::DropEdge)
      std::fill(x.end() - static_cast<long>((x.size() + 7) / 8), x.end(), 0);
    else
      x[x.size() / 2] += 2 * rms + 1;
    Tensor to = llvm::cantFail(Tensor::allocate(from.type()));
    numerics::convertArray(
        numerics::ElementType::floating(numerics::FloatFormat::F64), x.data(),
        from.elementType(), to.mutableBytes(), from.size());
    return to;
  }
  mlir::Operation *op_;
  FaultKind kind_;
};
} // namespace

static std::vector<std::string> programs() {
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           entry(ASSAY_INPUTS_DIR "/op/programs", code),
       end;
       entry != end && !code; entry.increment(code))
    paths.push_back(entry->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The results of a run of the reference, with `watcher` beside it.
static std::vector<Tensor> run(const SharedProgram &program,
                               llvm::ArrayRef<Tensor> inputs, bool perStep,
                               program::Observer *watcher) {
  program::PlanOptions options;
  options.numeric.accumulatePerStep = perStep;
  std::unique_ptr<program::Plan> plan = llvm::cantFail(
      program::buildPlan(program, reference::ReferenceCompiler(), options));
  ThreadPool pool(1);
  program::RunContext context(pool);
  if (watcher)
    context.observers.push_back(watcher);
  std::vector<Tensor> results;
  for (Value &value : llvm::cantFail(program::execute(*plan, inputs, context)))
    results.push_back(llvm::cantFail(value.tensor().dense()));
  return results;
}

static ProgramVerdict judged(ProgramJudge &judge,
                             const std::vector<Tensor> &tensors) {
  std::vector<ProgramResult> results;
  for (const Tensor &tensor : tensors)
    results.push_back({"out" + std::to_string(results.size()), tensor.bytes()});
  return judge.judge(results, "normal");
}

/// Whether the results differ by more than rounding can explain.
static bool showsIn(const std::vector<Tensor> &a,
                    const std::vector<Tensor> &b) {
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<double> x = exactValues(Value(a[i])),
                        y = exactValues(Value(b[i]));
    double squares = 0, worst = 0;
    for (size_t k = 0; k < x.size(); ++k) {
      squares += y[k] * y[k];
      worst = std::max(worst, std::fabs(x[k] - y[k]));
    }
    if (worst > 0.01 * std::sqrt(squares / static_cast<double>(x.size())))
      return true;
  }
  return false;
}

/// Operations whose results are floats and which compute, at most `most`.
static std::vector<mlir::Operation *> targets(const SharedProgram &program,
                                              size_t most) {
  std::vector<mlir::Operation *> all, some;
  program->module()->walk([&](mlir::Operation *op) {
    const OpBound *rule = findOpBound(op->getName().getStringRef());
    bool computes = rule && (rule->kind == BoundKind::Ulp ||
                             rule->kind == BoundKind::Contraction ||
                             rule->kind == BoundKind::Region);
    if (!computes)
      return;
    llvm::StringRef parent = op->getParentOp()->getName().getStringRef();
    if (parent == "func.func" || parent == "stablehlo.while")
      all.push_back(op);
  });
  for (size_t i = 0; i < all.size();
       i += std::max<size_t>(1, all.size() / most))
    some.push_back(all[i]);
  return some;
}

TEST(ProgramJudge, ProgramsWithoutUsefulBoundsAreNeverWronglyFailed) {
  ASSERT_GE(programs().size(), 30u);
  ThreadPool pool(1);
  for (const std::string &path : programs()) {
    SharedProgram program = llvm::cantFail(program::Program::load(path));
    for (FillKind kind : {FillKind::Exact, FillKind::Normal, FillKind::Uniform})
      for (uint64_t seed : {1, 2}) {
        ProgramJudge judge(program, {}, pool);
        std::vector<Tensor> inputs =
            llvm::cantFail(fillProgram(*program, "", kind, seed));
        llvm::cantFail(judge.prepare(inputs));
        // Sums of 16-bit floats are kept in f32.
        bool perStep = !llvm::StringRef(path).contains("bf16");
        ProgramVerdict verdict =
            judged(judge, run(program, inputs, perStep, nullptr));
        EXPECT_NE(verdict.status, Status::Failed)
            << path << " " << nameOf(kind) << ": " << verdict.reason << "\n"
            << llvm::join(verdict.notes, "\n") << "\n"
            << llvm::join(verdict.findings, "\n");
      }
  }
}

TEST(ProgramJudge, FaultsThatShowAreNeverPassed) {
  ThreadPool pool(1);
  int64_t faults = 0, failed = 0;
  for (const std::string &path : programs()) {
    SharedProgram program = llvm::cantFail(program::Program::load(path));
    ProgramJudge judge(program, {}, pool);
    std::vector<Tensor> inputs =
        llvm::cantFail(fillProgram(*program, "", FillKind::Normal, 1));
    llvm::cantFail(judge.prepare(inputs));
    std::vector<Tensor> clean = run(program, inputs, false, nullptr);
    for (mlir::Operation *op : targets(program, 6))
      for (FaultKind kind :
           {FaultKind::Scale, FaultKind::DropEdge, FaultKind::OneElement}) {
        Fault fault(op, kind);
        std::vector<Tensor> results = run(program, inputs, false, &fault);
        if (!showsIn(results, clean))
          continue;
        ProgramVerdict verdict = judged(judge, results);
        ++faults;
        failed += verdict.status == Status::Failed;
        EXPECT_NE(verdict.status, Status::Passed)
            << llvm::sys::path::filename(path).str() << ": "
            << op->getName().getStringRef().str() << " at "
            << program::describeLocation(op->getLoc()) << ", fault "
            << static_cast<int>(kind);
      }
  }
  RecordProperty("faults", static_cast<int>(faults));
  RecordProperty("failed", static_cast<int>(failed));
  EXPECT_GE(faults, 300);
  EXPECT_GE(failed, faults * 9 / 10); // the rest: MISTRUSTED
}

// Where more than half of the elements have bounds that say nothing, a result is
// judged by another measure, although some have useful ones.
TEST(ProgramJudge, TheMiddleBoundSaysWhetherBoundsDecide) {
  ThreadPool pool(1);
  for (int loose : {8, 2}) {
    std::string type = llvm::formatv("tensor<{0}xf32>", loose),
                all = llvm::formatv("tensor<{0}xf32>", loose + 4);
    // Bounds of 1000 on values of about 1, beside four elements without error.
    SharedProgram program = llvm::cantFail(program::Program::parse(
        "func.func @main(%x: " + type + ", %y: tensor<4xf32>) -> " + all +
            " {\n  %0 = \"stablehlo.cosine\"(%x) {assay.accuracy = array<f64: "
            "0.0, 1000.0>} : (" +
            type + ") -> " + type +
            "\n  %1 = stablehlo.concatenate %0, %y, dim = 0 : (" + type +
            ", tensor<4xf32>) -> " + all + "\n  return %1 : " + all + "\n}",
        "test"));
    ProgramJudge judge(program, {}, pool);
    std::vector<Tensor> inputs =
        llvm::cantFail(fillProgram(*program, "", FillKind::Uniform, 1));
    llvm::cantFail(judge.prepare(inputs));
    std::vector<Tensor> results = run(program, inputs, false, nullptr);
    EXPECT_EQ(judged(judge, results).status, Status::Passed);
    results[0].mutableData<float>()[1] += 100;
    EXPECT_EQ(judged(judge, results).status == Status::Passed, loose == 2);
  }
}

// One number whose bound is tight is judged by it, like many.
TEST(ProgramJudge, ASingleElementIsJudgedByItsBound) {
  ThreadPool pool(1);
  SharedProgram program = llvm::cantFail(program::Program::parse(
      "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {\n"
      "  %0 = stablehlo.exponential %x : tensor<1xf32>\n"
      "  return %0 : tensor<1xf32>\n}",
      "test"));
  ProgramJudge judge(program, {}, pool);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Uniform, 1));
  llvm::cantFail(judge.prepare(inputs));
  std::vector<Tensor> results = run(program, inputs, false, nullptr);
  EXPECT_EQ(judged(judge, results).status, Status::Passed);
  float right = results[0].data<float>()[0];
  for (float by : {0x1p-16f, -0x1p-16f, 1.0f}) {
    results[0].mutableData<float>()[0] = right * (1 + by);
    EXPECT_EQ(judged(judge, results).status, Status::Failed) << by;
  }
}

// The points of a rule: the element, both values and their distance; no distance
// for complex numbers, which are two values.
TEST(ProgramJudge, ARuleShowsTheElementsThatItFails) {
  ThreadPool pool(1);
  for (std::string type : {"tensor<6xf32>", "tensor<6xcomplex<f32>>"}) {
    SharedProgram program = llvm::cantFail(program::Program::parse(
        "func.func @main(%x: " + type + ") -> " + type +
            " {\n  %0 = stablehlo.add %x, %x : " + type +
            "\n  return %0 : " + type + "\n}",
        "test"));
    ProgramJudgeOptions options;
    options.rule = "dtype";
    ProgramJudge judge(program, options, pool);
    std::vector<Tensor> inputs =
        llvm::cantFail(fillProgram(*program, "", FillKind::Uniform, 1));
    llvm::cantFail(judge.prepare(inputs));
    std::vector<Tensor> results = run(program, inputs, false, nullptr);
    ProgramVerdict verdict = judged(judge, results);
    EXPECT_EQ(verdict.status, Status::Passed) << type;
    EXPECT_EQ(verdict.results[0].measure, "dtype");
    bool isComplex = results[0].elementType().isComplex();
    float &element = results[0].mutableData<float>()[isComplex ? 8 : 4];
    float right = element;
    element += 1;
    verdict = judged(judge, results);
    EXPECT_EQ(verdict.status, Status::Failed) << type;
    EXPECT_EQ(verdict.results[0].failures, 1) << type;
    const std::vector<WorstPoint> &worst = verdict.results[0].worst;
    ASSERT_EQ(worst.size(), isComplex ? 0u : 6u) << type; // the worst first
    if (isComplex)
      continue;
    EXPECT_EQ(worst[0].index, 4);
    EXPECT_EQ(worst[0].got, right + 1);
    EXPECT_EQ(worst[0].expected, right);
    EXPECT_NEAR(worst[0].error, 1, 1e-5);
    EXPECT_LT(worst[0].bound, 1e-3);
  }
}

/// Writes `value` over part `part` of element `at`; part 0 of a complex number
/// is the real one.
static void put(Tensor &tensor, int64_t at, int part, double value) {
  numerics::ElementType type = tensor.elementType(), of = type.part();
  numerics::convertArray(
      numerics::ElementType::floating(numerics::FloatFormat::F64), &value, of,
      tensor.mutableBytes() + at * type.storageBytes() +
          part * of.storageBytes(),
      1);
}

namespace {
/// An operation on 1100 elements, more than are judged together, and the
/// reference's result.
struct Judged {
  Judged(const std::string &type, llvm::StringRef operation,
         llvm::StringRef rule, int64_t nanAt = -1, int nanPart = 0) {
    std::string tensor = "tensor<1100x" + type + ">";
    program = llvm::cantFail(program::Program::parse(
        "func.func @main(%x: " + tensor + ") -> " + tensor + " {\n  %0 = " +
            llvm::formatv(operation.str().c_str(), tensor).str() +
            "\n  return %0 : " + tensor + "\n}",
        "test"));
    options.rule = rule.str();
    judge = std::make_unique<ProgramJudge>(program, options, pool);
    std::vector<Tensor> inputs =
        llvm::cantFail(fillProgram(*program, "", FillKind::Uniform, 1));
    if (nanAt >= 0)
      put(inputs[0], nanAt, nanPart, NAN);
    llvm::cantFail(judge->prepare(inputs));
    results = run(program, inputs, false, nullptr);
  }
  ProgramVerdict verdict() { return judged(*judge, results); }

  SharedProgram program;
  ProgramJudgeOptions options;
  ThreadPool pool{1};
  std::unique_ptr<ProgramJudge> judge;
  std::vector<Tensor> results;
};
} // namespace

// A sum that an engine rounds at each step is further from the shadow than the
// reference's sum, which is rounded once: meeting rule dtype around the shadow
// suffices, as in `run --expect`.
TEST(ProgramJudge, RuleShadowTakesWhatRuleDtypeTakes) {
  Judged it("f32", "stablehlo.negate %x : {0}", "shadow");
  EXPECT_EQ(it.verdict().status, Status::Passed);
  float &element = it.results[0].mutableData<float>()[5];
  float right = element;
  element = right * (1 + 0x1p-21f);
  EXPECT_EQ(it.verdict().status, Status::Passed);
  EXPECT_EQ(it.verdict().results[0].measure, "dtype");
  element = right * 1.01f;
  EXPECT_EQ(it.verdict().status, Status::Failed);
}

static const char *const kNanTypes[] = {
    "f64",    "f32",      "f16",          "bf16",
    "f8E5M2", "f8E4M3FN", "complex<f32>", "complex<f64>"};
static const char *const kNanOperations[] = {
    "stablehlo.add %x, %x : {0}", "stablehlo.negate %x : {0}",
    "stablehlo.reverse %x, dims = [0] : {0}"};

TEST(ProgramJudge, NoNumberWhereOneIsDueFails) {
  for (const char *rule : {"bound", "dtype", "exact"})
    for (const char *operation : kNanOperations)
      for (std::string type : kNanTypes) {
        Judged it(type, operation, rule);
        ASSERT_EQ(it.verdict().status, Status::Passed) << type << operation;
        int parts = it.results[0].elementType().isComplex() ? 2 : 1;
        for (int64_t at : {0, 1023, 1024, 1099}) {
          Judged bad(type, operation, rule);
          put(bad.results[0], at, parts - 1, NAN);
          ProgramVerdict verdict = bad.verdict();
          EXPECT_EQ(verdict.status, Status::Failed)
              << rule << " " << type << " " << operation << " " << at;
          EXPECT_EQ(verdict.results[0].failures, 1) << rule << " " << type;
        }
      }
}

TEST(ProgramJudge, ANumberWhereNoneIsDueFails) {
  for (const char *rule : {"bound", "dtype", "exact"})
    for (const char *operation : kNanOperations)
      for (std::string type : kNanTypes) {
        bool isReverse = llvm::StringRef(operation).contains("reverse");
        for (int64_t at : {0, 1099}) {
          Judged it(type, operation, rule, isReverse ? 1099 - at : at);
          EXPECT_EQ(it.verdict().status, Status::Passed) << rule << type;
          for (double number : {0.0, 1.0, static_cast<double>(INFINITY)}) {
            put(it.results[0], at, 0, number);
            if (number == INFINITY && type == "f8E4M3FN")
              continue; // the type has none
            EXPECT_EQ(it.verdict().status, Status::Failed)
                << rule << " " << type << " " << operation << " " << number;
          }
        }
      }
}

// The sum and the product of row 1 hold a NaN, in the other rows numbers.
TEST(ProgramJudge, ASumWithoutANumberHasNone) {
  for (std::string type : kNanTypes)
    for (llvm::StringRef operation :
         {"stablehlo.dot_general %x, %x, batching_dims = [0] x [0], "
          "contracting_dims = [1] x [1] : (tensor<4x6x{0}>, tensor<4x6x{0}>) "
          "-> "
          "tensor<4x{0}>",
          "stablehlo.reduce(%x init: %z) applies stablehlo.add across "
          "dimensions = [1] : (tensor<4x6x{0}>, tensor<{0}>) -> "
          "tensor<4x{0}>"}) {
      ThreadPool pool(1);
      SharedProgram program = llvm::cantFail(program::Program::parse(
          llvm::formatv("func.func @main(%x: tensor<4x6x{0}>, %z: "
                        "tensor<{0}>) -> tensor<4x{0}> {{\n  %0 = ",
                        type)
                  .str() +
              llvm::formatv(operation.str().c_str(), type).str() +
              llvm::formatv("\n  return %0 : tensor<4x{0}>\n}", type).str(),
          "test"));
      ProgramJudge judge(program, {}, pool);
      std::vector<Tensor> inputs =
          llvm::cantFail(fillProgram(*program, "", FillKind::Uniform, 1));
      put(inputs[0], 11, 0, NAN);
      llvm::cantFail(judge.prepare(inputs));
      std::vector<Tensor> results = run(program, inputs, false, nullptr);
      EXPECT_EQ(judged(judge, results).status, Status::Passed) << type;
      put(results[0], 1, 0, 1.0);
      EXPECT_EQ(judged(judge, results).status, Status::Failed) << type;
      put(results[0], 1, 0, NAN);
      put(results[0], 3, 0, NAN);
      EXPECT_EQ(judged(judge, results).status, Status::Failed) << type;
    }
}

// a*b + a*c for a*(b + c): wrong where b and c cancel, and the words say why. A
// result with fewer digits is not mistaken for one.
TEST(ProgramJudge, AFormThatCancelsIsNamed) {
  ThreadPool pool(1);
  SharedProgram program = llvm::cantFail(program::Program::parse(
      "func.func @main(%a: tensor<2000xf32>, %b: tensor<2000xf32>, %c: "
      "tensor<2000xf32>) -> tensor<2000xf32> {\n"
      "  %0 = stablehlo.add %b, %c : tensor<2000xf32>\n"
      "  %1 = stablehlo.multiply %a, %0 : tensor<2000xf32>\n"
      "  return %1 : tensor<2000xf32>\n}",
      "test"));
  ProgramJudge judge(program, {}, pool);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Normal, 1));
  llvm::cantFail(judge.prepare(inputs));
  std::vector<Tensor> results = run(program, inputs, false, nullptr);
  const float *a = inputs[0].data<float>(), *b = inputs[1].data<float>(),
              *c = inputs[2].data<float>();
  auto words = [&](auto form) {
    for (int64_t i = 0; i < 2000; ++i)
      results[0].mutableData<float>()[i] = form(i);
    ProgramVerdict said = judged(judge, results);
    EXPECT_EQ(said.status, Status::Failed);
    return llvm::join(said.findings, "\n");
  };
  EXPECT_NE(words([&](int64_t i) {
              volatile float left = a[i] * b[i], right = a[i] * c[i];
              return left + right;
            }).find("as if arguments had another last place"),
            std::string::npos);
  EXPECT_EQ(words([&](int64_t i) {
              return a[i] * (b[i] + c[i]) * (1 + 0x1p-16f);
            }).find("as if arguments"),
            std::string::npos);
}

// A product whose factors have fewer digits, as tensor cores compute it, is
// wrong in f32; the text names the type. Other errors of that size are not
// mistaken for it.
TEST(ProgramJudge, RoundedFactorsAreNamed) {
  ThreadPool pool(1);
  SharedProgram program = llvm::cantFail(program::Program::parse(
      "func.func @main(%a: tensor<24x64xf32>, %b: tensor<64x16xf32>) -> "
      "tensor<24x16xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<24x64xf32>, tensor<64x16xf32>) -> tensor<24x16xf32>\n"
      "  return %0 : tensor<24x16xf32>\n}",
      "test"));
  ProgramJudge judge(program, {}, pool);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Normal, 1));
  llvm::cantFail(judge.prepare(inputs));
  std::vector<Tensor> results = run(program, inputs, false, nullptr);
  auto words = [&](auto factor, double scale) {
    const float *a = inputs[0].data<float>(), *b = inputs[1].data<float>();
    for (int64_t i = 0; i < 24; ++i)
      for (int64_t j = 0; j < 16; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 64; ++k)
          sum += factor(a[i * 64 + k]) * factor(b[k * 16 + j]);
        results[0].mutableData<float>()[i * 16 + j] =
            static_cast<float>(sum * scale);
      }
    ProgramVerdict said = judged(judge, results);
    EXPECT_EQ(said.status, Status::Failed);
    return llvm::join(said.findings, "\n");
  };
  auto rounded = [](int bits, uint32_t added, bool tiesToEven = false) {
    return [=](float x) {
      auto whole = llvm::bit_cast<uint32_t>(x);
      whole += tiesToEven ? added - 1 + (whole >> bits & 1) : added;
      return double(llvm::bit_cast<float>(whole & (~0u << bits)));
    };
  };
  auto has = [](const std::string &text, const char *what) {
    return llvm::StringRef(text).contains(
               std::string("as if factors of products were rounded to ") + what)
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(has(words(rounded(13, 1 << 12), 1), "tf32: 3"));
  EXPECT_TRUE(has(words(rounded(13, 1 << 12, true), 1), "tf32: 3"));
  EXPECT_TRUE(has(words(rounded(13, 0), 1), "tf32 (cut): 3"));
  EXPECT_TRUE(has(words(rounded(16, 1 << 15, true), 1), "bf16: 3"));
  EXPECT_FALSE(has(words(rounded(0, 0), 1 + 0x1p-12), ""));
}

// A variance of many numbers, one after the other: off by more than other orders of
// the same sums, within the bound of sums; nothing else can decide.
TEST(ProgramJudge, ABoundOfFewLongSumsDecides) {
  constexpr int64_t kCount = 1 << 16;
  ThreadPool pool(1);
  auto sum = [](std::string name, std::string of) {
    return "  %" + name + " = stablehlo.reduce(%" + of +
           " init: %z) applies stablehlo.add across dimensions = [0] : "
           "(tensor<65536xf32>, tensor<f32>) -> tensor<f32>\n  %" +
           name + "m = stablehlo.divide %" + name + ", %n : tensor<f32>\n";
  };
  SharedProgram program = llvm::cantFail(program::Program::parse(
      "func.func @main(%x: tensor<65536xf32>) -> tensor<f32> {\n"
      "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "  %n = stablehlo.constant dense<65536.0> : tensor<f32>\n" +
          sum("s", "x") +
          "  %b = stablehlo.broadcast_in_dim %sm, dims = [] : (tensor<f32>) -> "
          "tensor<65536xf32>\n"
          "  %c = stablehlo.subtract %x, %b : tensor<65536xf32>\n"
          "  %q = stablehlo.multiply %c, %c : tensor<65536xf32>\n" +
          sum("v", "q") + "  return %vm : tensor<f32>\n}",
      "test"));
  ProgramJudge judge(program, {}, pool);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillProgram(*program, "", FillKind::Exact, 1));
  llvm::cantFail(judge.prepare(inputs));
  auto statusOf = [&](double relative) {
    std::vector<Tensor> results = run(program, inputs, false, nullptr);
    double exact = exactValues(judge.truth().results[0])[0];
    results[0].mutableData<float>()[0] =
        static_cast<float>(exact * (1 + relative));
    return judged(judge, results).status;
  };
  double bound =
      (*judge.truth().errors[0])[0] / exactValues(judge.truth().results[0])[0];
  EXPECT_GT(bound, kCount * 0x1p-25); // by theorem: equal terms
  EXPECT_EQ(statusOf(3e-4), Status::Passed);
  EXPECT_EQ(statusOf(1.5 * bound), Status::Failed);
}

static std::vector<ArgumentRole> roles(const char *name) {
  SharedProgram program = llvm::cantFail(program::Program::load(
      std::string(ASSAY_INPUTS_DIR "/op/programs/") + name + ".mlir"));
  return rolesOfArguments(llvm::cantFail(program->function("")));
}

TEST(ArgumentRoles, WeightsOfModelsHaveTheirFanIn) {
  std::vector<ArgumentRole> mlp = roles("torch_mlp");
  EXPECT_EQ(mlp[0].fanIn, 0);  // the data
  EXPECT_EQ(mlp[1].fanIn, 32); // [64, 32], transposed before the product
  EXPECT_EQ(mlp[3].fanIn, 64);
  EXPECT_EQ(mlp[2].fanIn, 0);                      // a bias
  EXPECT_EQ(roles("recurrent_scan")[2].fanIn, 32); // carried into a loop
}

TEST(ArgumentRoles, VariancesAndGainsAreTold) {
  std::vector<ArgumentRole> model = roles("torch_convolution_batch_norm");
  EXPECT_EQ(model[1].fanIn, 27); // 3x3 windows of 3 channels
  EXPECT_TRUE(model[2].isGain);
  EXPECT_FALSE(model[3].isVariance || model[4].isVariance);
  EXPECT_TRUE(model[5].isVariance);
}
