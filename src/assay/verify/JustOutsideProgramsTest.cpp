// Bounds of whole programs: for every driver's problems, forward and backward,
// a result with a few times the error of ordinary evaluations fails, and the
// reference's own result passes. The table has the factor, one row per problem;
// a driver without a row fails.
#include "assay/verify/ProgramCase.h"
#include "assay/verify/TestProblem.h"

#include "assay/numerics/Convert.h"
#include "assay/numerics/Ulp.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace assay;
using namespace assay::judge;
using namespace assay::verify;
using numerics::ElementType;
using tensor::Tensor;

namespace {
struct Row {
  const char *driver, *words;
  /// A result this many times as far off as the worst of two ordinary
  /// evaluations, at the median element, is beyond its bound.
  double times;
};
} // namespace

static constexpr Row kRows[] = {
    {"reduction", "--alg=sum 6x200x3:6x1x3", 300},
    {"reduction", "--alg=mean 6x200x3:6x1x3", 300},
    {"reduction", "--alg=mul 6x8x3:6x1x3", 8},
    {"reduction", "--alg=norm_lp_sum --p=2 --eps=0.5 5x64x3:5x1x3", 30},
    {"reduction", "--alg=norm_lp_power_p_sum --p=3 --eps=0.5 5x64x3:5x1x3", 50},
    {"pool", "--alg=avg_np ic3ih9kh3sh2ph1", 35},
    {"pool", "--alg=avg_p --dir=BWD_D ic3ih9kh3sh2ph1", 20},
    {"lnorm", "--flags=CH 7x96", 250},
    {"lnorm", "--flags=M 7x96", 40},
    {"lnorm", "--dir=BWD_DW --flags=CH 7x96", 110},
    {"gnorm", "--flags=CH g2mb2ic6ih3iw4", 450},
    {"gnorm", "--dir=BWD_DW --flags=CH g2mb2ic6ih3iw4", 110},
    {"bnorm", "--flags=CH mb3ic5ih4iw3", 180},
    {"bnorm", "--dir=BWD_DW --flags=CH mb3ic5ih4iw3", 110},
    {"bnorm", "--dir=BWD_DW --flags=GCH mb3ic5ih4iw3", 150},
    {"resampling", "--alg=linear ic3iw7ow10", 15},
    {"resampling", "--alg=linear --dir=BWD_D ic3iw7ow10", 20},
    {"lrn", "--alg=ACROSS ic7ih5iw4", 15},
    {"lrn", "--alg=WITHIN --dir=BWD_D ic4iw9ls3alpha0.5beta0.5k2", 20},
    {"sdpa", "--mask=none 1x2x6x16:1x2x16x9:1x2x9x8", 120},
    {"sdpa", "--mask=causal_top_left 1x2x6x16:1x2x16x9:1x2x9x8", 80},
    {"eltwise", "--alg=tanh 3x64", 12},
    {"eltwise", "--alg=tanh --dir=BWD_D 3x64", 12},
    {"eltwise", "--alg=gelu_erf --dir=BWD_D 3x64", 40},
    {"eltwise", "--alg=mish --dir=BWD_D 3x64", 45},
    {"eltwise", "--alg=logistic --dir=BWD_D 3x64", 20},
    {"eltwise", "--alg=log 3x64", 60},
    {"binary", "--alg=div 3x64:3x64", 4},
    {"binary", "--alg=mul --attr-post-ops=add:f32 3x64:3x64", 4},
    {"softmax", "--axis=1 5x100", 45},
    {"softmax", "--axis=1 --dir=BWD_D 5x100", 90},
    {"softmax", "--alg=LOGSOFTMAX --axis=1 5x100", 60},
    {"softmax", "--alg=LOGSOFTMAX --axis=1 --dir=BWD_D 5x100", 80},
    {"prelu", "3x64:1x64", 4},
    {"prelu", "--dir=BWD_DW 9x64:1x64", 20},
    {"sum", "--sdt=f32:f32:f32 --scales=0.3:0.7:1.1 3x64", 4},
    {"reorder", "--attr-scales=src:common:0.3 3x64", 4}};

/// Drivers whose sums are judged by JustOutsideTest.cpp, and those that round
/// nothing or run programs from files.
static const std::set<std::string> kOthers = {
    "matmul", "conv", "deconv", "ip", "op", "concat", "shuffle"};

static std::vector<double> numbersOf(const Tensor &tensor) {
  std::vector<double> values(static_cast<size_t>(tensor.size()));
  numerics::toDoubles(tensor.elementType(), tensor.bytes(), values.data(),
                      tensor.size());
  return values;
}

/// The verdict on a result with each element moved beyond its bound.
static Verdict movedVerdict(const ProgramTruth &truth, size_t result,
                            const std::vector<double> &exact,
                            const std::vector<double> &errors, double times) {
  const Tensor &own = truth.results[result].tensor();
  ElementType type = own.elementType();
  std::vector<double> values(exact.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    double by = times * errors[i] + numerics::ulpOf(exact[i], type.format);
    values[i] = exact[i] + (std::signbit(exact[i]) ? -by : by);
  }
  Tensor got = llvm::cantFail(Tensor::allocate(own.type()));
  numerics::convertArray(ElementType::floating(numerics::FloatFormat::F64),
                         values.data(), type, got.mutableBytes(), got.size());
  return judgeResult(truth, result, got.bytes());
}

static void check(const Row &row) {
  std::string words = std::string("--") + row.driver + " " + row.words;
  Problem problem = problemOf(words);
  ASSERT_EQ(problem.invalid, "") << words;
  BoundProgram bound = llvm::cantFail(problem.driver->build(problem));
  ProgramCase c = programCase(problem, bound, nullptr);
  std::vector<Tensor> inputs =
      llvm::cantFail(fillArguments(c, FillKind::Normal));
  ThreadPool pool(1);
  ProgramTruth truth =
      llvm::cantFail(computeTruth(bound.program, bound.entry, inputs, pool, 0));
  std::vector<Evaluation> runs = llvm::cantFail(
      evaluateInOtherWays(bound.program, bound.entry, inputs, pool, 0));
  for (size_t result = 0; result < truth.results.size(); ++result) {
    if (!isFloating(truth.results[result]) || !truth.errors[result])
      continue;
    std::vector<double> exact = exactValues(truth.results[result]),
                        errors(exact.size());
    for (const Evaluation &run : runs)
      if (run.amplitude == 1) {
        const Tensor dense =
            llvm::cantFail(run.results[result].tensor().dense());
        std::vector<double> values = numbersOf(dense);
        for (size_t i = 0; i < errors.size(); ++i)
          errors[i] = std::max(errors[i], std::fabs(values[i] - exact[i]));
      }
    const Tensor own = llvm::cantFail(truth.results[result].tensor().dense());
    EXPECT_TRUE(judgeResult(truth, result, own.bytes()).passed()) << words;
    Verdict verdict = movedVerdict(truth, result, exact, errors, row.times);
    auto numbers = llvm::count_if(exact, [](double y) { return y == y; });
    EXPECT_GE(2 * verdict.failures, numbers)
        << words << ", result " << result << " off by " << row.times
        << " times what ordinary evaluations are";
  }
}

TEST(JustOutside, ProgramsOfEveryDriver) {
  std::set<std::string> seen = kOthers;
  for (const Row &row : kRows) {
    seen.insert(row.driver);
    check(row);
  }
  for (const char *driver : {
#define ASSAY_DRIVER(id, name, file) name,
#include "assay/verify/Drivers.def"
#undef ASSAY_DRIVER
       })
    EXPECT_TRUE(seen.count(driver))
        << driver << " has bounds and no problem here";
}
