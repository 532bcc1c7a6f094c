// Each cut alone, and whole reductions, on a subject that is the reference with
// a fault in it: which operation, and when, is the test's own choice.
#include "assay/judge/reduce/Reduce.h"
#include "assay/judge/program/ErrorTracker.h"
#include "assay/judge/reduce/Checks.h"
#include "assay/judge/reduce/Dimensions.h"
#include "assay/judge/reduce/Shrink.h"
#include "assay/numerics/Convert.h"
#include "assay/program/Executor.h"
#include "assay/program/Inputs.h"
#include "assay/support/TestFolder.h"

#include <functional>

using namespace assay;
using namespace assay::judge;
using program::Value;
using tensor::Tensor;
using SharedProgram = std::shared_ptr<const program::Program>;

namespace {
/// Changes the first element of a result of some operations.
class Spoiler final : public program::Observer {
public:
  Spoiler(std::function<bool(mlir::Operation *)> hits, size_t result, double by)
      : hits_(std::move(hits)), result_(result), by_(by) {}
  void amend(const program::StepNode &node,
             llvm::MutableArrayRef<Value> results) override {
    if (!node.op || !hits_(node.op) || results.size() <= result_ ||
        !isFloating(results[result_]))
      return;
    Value &result = results[result_];
    std::vector<double> x = exactValues(Value(result.tensor()));
    x[0] += by_;
    Tensor to = llvm::cantFail(Tensor::allocate(result.tensor().type()));
    numerics::convertArray(
        numerics::ElementType::floating(numerics::FloatFormat::F64), x.data(),
        to.elementType(), to.mutableBytes(), to.size());
    result = Value(std::move(to));
  }
  void onStep(const program::StepNode &, llvm::ArrayRef<Value *>,
              llvm::ArrayRef<Value>, int64_t) override {}

private:
  std::function<bool(mlir::Operation *)> hits_;
  size_t result_;
  double by_;
};

class FaultyReference final : public Subject {
public:
  explicit FaultyReference(std::function<bool(mlir::Operation *)> hits)
      : hits_(std::move(hits)) {}
  std::string name() const override { return "engine faulty"; }
  SubjectRun run(SharedProgram program,
                 llvm::ArrayRef<Tensor> inputs) override {
    ++runs;
    SubjectRun run;
    auto plan = llvm::cantFail(referencePlan(program, "main"));
    ThreadPool pool(1);
    program::RunContext context(pool);
    Spoiler spoiler(hits_, result, by);
    if (!when || when(inputs))
      context.observers.push_back(&spoiler);
    auto results = program::execute(*plan, inputs, context);
    if (!results) {
      llvm::consumeError(results.takeError());
      run.ending = Ending::Refused;
      return run;
    }
    if (crashes && program->module()
                       ->walk([&](mlir::Operation *op) {
                         return crashes(op) ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
                       })
                       .wasInterrupted()) {
      run.ending = Ending::Crashed;
      return run;
    }
    for (Value &value : *results)
      run.results.push_back(llvm::cantFail(value.tensor().dense()));
    return run;
  }
  std::function<bool(mlir::Operation *)> crashes;
  std::function<bool(llvm::ArrayRef<Tensor>)> when; ///< not given: always
  size_t result = 0;                                ///< that is changed
  double by = 1;
  int runs = 0;

private:
  std::function<bool(mlir::Operation *)> hits_;
};
} // namespace

static std::function<bool(mlir::Operation *)> named(const char *name) {
  return [name](mlir::Operation *op) {
    return op->getName().getStringRef() == name;
  };
}

static int64_t sizeOf(mlir::Value value, int64_t d) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getDimSize(d);
}

static ReduceRequest requestOf(llvm::StringRef text,
                               std::string input = "random") {
  ReduceRequest request;
  request.program = llvm::cantFail(program::Program::parse(text, "test.mlir"));
  request.inputs = llvm::cantFail(program::makeInputs(
      *request.program, llvm::cantFail(request.program->function("")),
      {std::move(input)}, 1));
  return request;
}

static Reduction reduced(const ReduceRequest &request, Subject &subject,
                         Journal journal = {}) {
  ThreadPool pool(1);
  Trial trial(subject, pool, 0, std::move(journal));
  return llvm::cantFail(reduce(request, trial));
}

static Reduction reduced(llvm::StringRef text, Subject &subject,
                         Journal journal = {}) {
  return reduced(requestOf(text), subject, std::move(journal));
}

static constexpr const char *kBlock = R"(
func.func private @act(%x: tensor<6x20xf32>) -> tensor<6x20xf32> {
  %0 = stablehlo.tanh %x : tensor<6x20xf32>
  return %0 : tensor<6x20xf32>
}
func.func @main(%x: tensor<6x16xf32>, %w: tensor<16x20xf32>, %b: tensor<20xf32>) -> tensor<6x20xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x20xf32>) -> tensor<6x20xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
  %2 = stablehlo.add %0, %1 : tensor<6x20xf32>
  %3 = call @act(%2) : (tensor<6x20xf32>) -> tensor<6x20xf32>
  %4 = stablehlo.multiply %3, %2 : tensor<6x20xf32>
  return %4 : tensor<6x20xf32>
})";

TEST(Reduce, ARightEngineGivesNoTest) {
  FaultyReference subject([](mlir::Operation *) { return false; });
  Reduction reduction = reduced(kBlock, subject);
  EXPECT_TRUE(reduction.tests.empty());
  EXPECT_TRUE(reduction.isComplete);
}

TEST(Reduce, AnOperationInsideACallStandsAlone) {
  FaultyReference subject(named("stablehlo.tanh"));
  Reduction reduction = reduced(kBlock, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  const ReducedTest &test = reduction.tests[0];
  EXPECT_EQ(test.operation, "stablehlo.tanh");
  EXPECT_EQ(test.test.operations(), 1);
  EXPECT_EQ(test.test.elements(), 1);
  EXPECT_EQ(test.finding.symptom, Symptom::WrongValue);
  EXPECT_NE(test.sentence.find("engine faulty computes stablehlo.tanh of "
                               "tensor<1x1xf32> wrongly: out0[0:0] is 1, "
                               "right is 0"),
            std::string::npos)
      << test.sentence;
  EXPECT_NE(test.text().find("assay.rule = \"bound\""), std::string::npos);
}

TEST(Reduce, SizesStayWhereTheFaultNeedsThem) {
  FaultyReference subject([](mlir::Operation *op) {
    return named("stablehlo.dot_general")(op) &&
           sizeOf(op->getResult(0), 1) >= 5 &&
           sizeOf(op->getOperand(0), 1) >= 3;
  });
  Reduction reduction = reduced(kBlock, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.inputs[0].shape(),
            llvm::ArrayRef<int64_t>({1, 3}));
  EXPECT_EQ(reduction.tests[0].test.inputs[1].shape(),
            llvm::ArrayRef<int64_t>({3, 5}));
}

TEST(Reduce, TwoFaultsGiveTwoTests) {
  FaultyReference subject([](mlir::Operation *op) {
    return named("stablehlo.dot_general")(op) || named("stablehlo.tanh")(op);
  });
  Reduction reduction = reduced(kBlock, subject);
  ASSERT_EQ(reduction.tests.size(), 2u);
  EXPECT_EQ(reduction.tests[0].operation, "stablehlo.dot_general");
  EXPECT_EQ(reduction.tests[1].operation, "stablehlo.tanh");
}

TEST(Reduce, OperationsThatFailTogetherOnlyAreKeptTogether) {
  // A fused multiplication of a tanh's result: the tanh must be in the program.
  FaultyReference subject([](mlir::Operation *op) {
    return named("stablehlo.multiply")(op) &&
           op->getOperand(0).getDefiningOp() &&
           named("stablehlo.tanh")(op->getOperand(0).getDefiningOp());
  });
  std::string flat = kBlock;
  flat.replace(
      flat.find("call @act(%2) : (tensor<6x20xf32>) -> tensor<6x20xf32>"), 54,
      "stablehlo.tanh %2 : tensor<6x20xf32>");
  Reduction reduction = reduced(flat, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.operations(), 2);
  EXPECT_LE(reduction.tests[0].test.elements(), 2);
}

TEST(Reduce, WhatOperationsOutsideOfASetReadIsAResult) {
  // The pair that fails together is read by a third operation, which is not
  // part of the fault.
  FaultyReference subject([](mlir::Operation *op) {
    return named("stablehlo.multiply")(op) &&
           op->getOperand(0).getDefiningOp() &&
           named("stablehlo.tanh")(op->getOperand(0).getDefiningOp());
  });
  Reduction reduction = reduced(R"(
func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.tanh %x : tensor<4x6xf32>
  %1 = stablehlo.multiply %0, %x : tensor<4x6xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.negate %2 : tensor<6x4xf32>
  return %3 : tensor<6x4xf32>
})",
                                subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.operations(), 2);
}

TEST(Reduce, ANaNIsFoundAsQuicklyAsAWrongNumber) {
  FaultyReference wrong(named("stablehlo.tanh")), nan(named("stablehlo.tanh"));
  nan.by = NAN;
  Reduction due = reduced(kBlock, wrong), found = reduced(kBlock, nan);
  ASSERT_EQ(found.tests.size(), 1u);
  EXPECT_EQ(found.tests[0].finding.symptom, Symptom::NotFinite);
  EXPECT_EQ(found.tests[0].operation, "stablehlo.tanh");
  EXPECT_LE(found.trials, due.trials + 2);
}

TEST(Reduce, OfSeveralResultsTheWrongOneIsKept) {
  FaultyReference subject(named("stablehlo.sort"));
  subject.result = 1;
  Reduction reduction = reduced(R"(
func.func @main(%k: tensor<8xf32>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      %lt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %lt : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
})",
                                subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.main().getNumResults(), 1u);
  EXPECT_EQ(reduction.tests[0].finding.symptom, Symptom::WrongValue);
}

TEST(Reduce, AFaultAtTheEndOfADimensionGetsSmall) {
  FaultyReference subject(named("stablehlo.tanh"));
  subject.when = [](llvm::ArrayRef<Tensor> inputs) {
    return llvm::is_contained(exactValues(Value(inputs[0])), 7.0);
  };
  std::string endsInSeven = "dense<[";
  for (int i = 0; i < 39; ++i)
    endsInSeven += "0.5, ";
  endsInSeven += "7.0]> : tensor<40xf32>";
  ReduceRequest request = requestOf(R"(
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = stablehlo.tanh %x : tensor<40xf32>
  return %0 : tensor<40xf32>
})",
                                    endsInSeven);
  Reduction reduction = reduced(request, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.elements(), 1);
}

TEST(Reduce, IntegersThatAreKeptKeepAllTheirBits) {
  constexpr int64_t kOdd = (int64_t(1) << 53) + 1; // no double
  auto at = [](const Tensor &tensor, size_t i) {
    return llvm::cantFail(tensor.dense()).data<int64_t>()[i];
  };
  FaultyReference subject(named("stablehlo.convert"));
  subject.when = [&](llvm::ArrayRef<Tensor> inputs) {
    return at(inputs[0], 0) == kOdd && inputs[0].size() == 2;
  };
  ReduceRequest request =
      requestOf(R"(
func.func @main(%x: tensor<2xi64>) -> tensor<2xf32> {
  %0 = stablehlo.convert %x : (tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                "dense<[9007199254740993, 1234567]> : tensor<2xi64>");
  // An error of one at 2^53 would be within the bound of f32.
  subject.by = 1e12;
  Reduction reduction = reduced(request, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  const Tensor &kept = reduction.tests[0].test.inputs[0];
  EXPECT_EQ(at(kept, 0), kOdd);
  EXPECT_LE(std::abs(at(kept, 1)), 1) << at(kept, 1);
}

static constexpr const char *kLoop = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %c = stablehlo.constant dense<5> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.sine %y : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
})";

TEST(Reduce, TheIterationThatFailsIsTakenOut) {
  int64_t sines = 0;
  FaultyReference subject([&](mlir::Operation *op) {
    // Right only in the first three runs of the operation.
    return named("stablehlo.sine")(op) && ++sines > 3;
  });
  Reduction reduction = reduced(kLoop, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].execution, 3);
  EXPECT_EQ(reduction.tests[0].test.operations(), 1);
}

TEST(Reduce, AWrongValueDoesNotTurnIntoACrash) {
  FaultyReference subject(named("stablehlo.dot_general"));
  subject.crashes = [](mlir::Operation *op) {
    return named("stablehlo.dot_general")(op) &&
           sizeOf(op->getResult(0), 0) < 3;
  };
  Reduction reduction = reduced(kBlock, subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].finding.symptom, Symptom::WrongValue);
  EXPECT_EQ(reduction.tests[0].test.inputs[0].shape()[0], 3);
}

TEST(Reduce, GroupsStridesAndPaddingGo) {
  FaultyReference subject(named("stablehlo.convolution"));
  Reduction reduction = reduced(R"(
func.func @main(%x: tensor<2x9x9x4xf32>, %k: tensor<3x3x2x6xf32>) -> tensor<2x5x5x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x5x5x6xf32>
  return %0 : tensor<2x5x5x6xf32>
})",
                                subject);
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.elements(), 2);
  EXPECT_NE(reduction.tests[0].text().find("feature_group_count = 1"),
            std::string::npos);
}

TEST(Reduce, ChecksBecomeResults) {
  SharedProgram program = llvm::cantFail(program::Program::parse(R"(
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.exponential %x : tensor<2xf32>
  check.expect_almost_eq_const %0, dense<[2.7182817, 7.389056]> : tensor<2xf32>
  return
})",
                                                                 "check.mlir"));
  SharedProgram open = llvm::cantFail(withoutChecks(program, ""));
  EXPECT_EQ(llvm::cantFail(open->function("")).getNumResults(), 1u);
  FaultyReference subject(named("stablehlo.exponential"));
  ThreadPool pool(1);
  Trial trial(subject, pool, 0);
  ReduceRequest request;
  request.program = open;
  Reduction reduction = llvm::cantFail(reduce(request, trial));
  ASSERT_EQ(reduction.tests.size(), 1u);
  EXPECT_EQ(reduction.tests[0].test.elements(), 1);
}

TEST(Reduce, SideBySideGivesTheTestOfOneAtATime) {
  // Fails at 6 and more columns, but not at 8: an upward search must not take a
  // larger size that was tried at the same time.
  auto fault = [](mlir::Operation *op) {
    int64_t n =
        named("stablehlo.dot_general")(op) ? sizeOf(op->getResult(0), 1) : 0;
    return n >= 6 && n != 8;
  };
  FaultyReference alone(fault), first(fault);
  Reduction due = reduced(kBlock, alone);
  ThreadPool pool(1);
  Trial trial(first, pool, 0);
  std::vector<FaultyReference *> others;
  for (int i = 0; i < 3; ++i) {
    auto lane = std::make_unique<FaultyReference>(fault);
    others.push_back(lane.get());
    trial.addLane(std::move(lane), 1);
  }
  Reduction found = llvm::cantFail(reduce(requestOf(kBlock), trial));
  ASSERT_EQ(found.tests.size(), 1u);
  EXPECT_EQ(found.tests[0].text(), due.tests[0].text());
  EXPECT_EQ(found.tests[0].test.key(), due.tests[0].test.key());
  for (FaultyReference *other : others)
    EXPECT_GT(other->runs, 0);
}

struct Reduced : TestFolder {};

TEST_F(Reduced, AKilledRunGoesOnAndEndsTheSame) {
  auto fault = [](mlir::Operation *op) {
    return named("stablehlo.dot_general")(op) &&
           sizeOf(op->getResult(0), 1) >= 7;
  };
  FaultyReference first(fault), again(fault);
  Journal whole =
      llvm::cantFail(Journal::open(path("a.journal"), "heading", false));
  Reduction due = reduced(kBlock, first, std::move(whole));
  // The journal of a run that was killed: some lines and a part of one.
  std::string text = llvm::cantFail(program::readFile(path("a.journal")));
  size_t third = text.size() / 3;
  std::error_code code;
  {
    llvm::raw_fd_ostream cut(path("b.journal"), code);
    cut << text.substr(0, third);
  }
  Journal half =
      llvm::cantFail(Journal::open(path("b.journal"), "heading", true));
  EXPECT_GT(half.takenOver(), 3);
  Reduction resumed = reduced(kBlock, again, std::move(half));
  ASSERT_EQ(resumed.tests.size(), 1u);
  EXPECT_EQ(resumed.tests[0].text(), due.tests[0].text());
  EXPECT_EQ(resumed.tests[0].test.key(), due.tests[0].test.key());
  EXPECT_LT(resumed.trials, due.trials);
  // Every answer was kept, also those of cuts that did not fail, and the half
  // line is gone.
  EXPECT_EQ(llvm::StringRef(text).count('\n'),
            static_cast<size_t>(due.trials) + 1);
  EXPECT_EQ(llvm::cantFail(program::readFile(path("b.journal"))), text);
  llvm::Expected<Journal> other =
      Journal::open(path("b.journal"), "another", true);
  ASSERT_FALSE(static_cast<bool>(other));
  EXPECT_NE(takeError(other.takeError()).message.find("another reduction"),
            std::string::npos);
}

TEST_F(Reduced, AnswersOfWhatDoesNotFailAreKeptToo) {
  FaultyReference right([](mlir::Operation *) { return false; });
  Reduction found = reduced(
      kBlock, right,
      llvm::cantFail(Journal::open(path("d.journal"), "heading", false)));
  ASSERT_GT(found.trials, 0);
  std::string text = llvm::cantFail(program::readFile(path("d.journal")));
  EXPECT_EQ(llvm::StringRef(text).count('\n'),
            static_cast<size_t>(found.trials) + 1);
}

TEST_F(Reduced, AnInvalidAnswerIsAskedAgain) {
  auto fault = named("stablehlo.dot_general");
  FaultyReference first(fault), again(fault);
  Reduction due = reduced(
      kBlock, first,
      llvm::cantFail(Journal::open(path("c.journal"), "heading", false)));
  // Answers that another version wrote, or a damaged file.
  std::string text = llvm::cantFail(program::readFile(path("c.journal"))), all;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (auto [i, line] : llvm::enumerate(lines))
    all += i == 0 ? line.str() + "\n"
                  : line.split(' ').first.str() + (i % 2 ? " 77\n" : " -1\n");
  std::error_code code;
  {
    llvm::raw_fd_ostream damaged(path("c.journal"), code);
    damaged << all;
  }
  Reduction found = reduced(
      kBlock, again,
      llvm::cantFail(Journal::open(path("c.journal"), "heading", true)));
  ASSERT_EQ(found.tests.size(), due.tests.size());
  EXPECT_EQ(found.tests[0].test.key(), due.tests[0].test.key());
  EXPECT_EQ(found.trials, due.trials);
}

TEST_F(Reduced, ABudgetEndsIt) {
  FaultyReference subject(named("stablehlo.dot_general"));
  ThreadPool pool(1);
  Trial trial(subject, pool, 1e-9);
  Reduction reduction = llvm::cantFail(reduce(requestOf(kBlock), trial));
  EXPECT_FALSE(reduction.isComplete);
  EXPECT_TRUE(reduction.tests.empty());
}

/// Sizes of the program's inputs after one free dimension became `size`.
static std::string sizesAfter(llvm::StringRef text, size_t argument, int64_t d,
                              int64_t size) {
  ReduceRequest request = requestOf(text);
  TestCase test{request.program, request.inputs, {}, {}};
  Dimensions dimensions(test.main());
  size_t dimension = dimensions.of(
      test.main().getArgument(static_cast<unsigned>(argument)), d);
  if (!dimensions.isFree(dimension))
    return "not free";
  llvm::Expected<TestCase> smaller = withSize(test, dimension, size, 0);
  if (!smaller)
    return takeError(smaller.takeError()).message;
  std::string shapes;
  for (const Tensor &input : smaller->inputs)
    shapes += tensor::toString(input.type());
  for (mlir::Type type : smaller->main().getResultTypes())
    shapes += " " + llvm::formatv("{0}", type).str();
  return shapes;
}

TEST(Dimensions, WhatHangsTogetherGetsSmallerTogether) {
  EXPECT_EQ(sizesAfter(kBlock, 0, 0, 2), "not free"); // the call pins it
  const char *chain = R"(
func.func @main(%x: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<6xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<6x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
})";
  EXPECT_EQ(sizesAfter(chain, 0, 0, 1),
            "tensor<1x6xf32>tensor<6xf32> tensor<6xf32>");
  EXPECT_EQ(sizesAfter(chain, 1, 0, 2),
            "tensor<4x2xf32>tensor<2xf32> tensor<2xf32>");
}

TEST(Dimensions, FormulasGiveWindowsPaddingsAndSums) {
  EXPECT_EQ(sizesAfter(R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<3xf32>, %z: tensor<f32>) -> tensor<11xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  %1 = stablehlo.pad %0, %z, low = [1], high = [3], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<11xf32>
  return %1 : tensor<11xf32>
})",
                       0, 0, 2),
            "tensor<2xf32>tensor<3xf32>tensor<f32> tensor<9xf32>");
  EXPECT_EQ(sizesAfter(R"(
func.func @main(%x: tensor<1x9x1xf32>, %k: tensor<3x1x1xf32>) -> tensor<1x4x1xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x1xf32>, tensor<3x1x1xf32>) -> tensor<1x4x1xf32>
  return %0 : tensor<1x4x1xf32>
})",
                       0, 1, 5),
            "tensor<1x5x1xf32>tensor<3x1x1xf32> tensor<1x2x1xf32>");
}

TEST(Dimensions, SlicesAndReshapesPinWhatTheyChange) {
  const char *text = R"(
func.func @main(%x: tensor<4x6x3xf32>) -> tensor<4x2x9xf32> {
  %0 = stablehlo.reshape %x : (tensor<4x6x3xf32>) -> tensor<4x18xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x18xf32>) -> tensor<4x2x9xf32>
  %2 = stablehlo.slice %1 [0:4, 0:2, 0:9] : (tensor<4x2x9xf32>) -> tensor<4x2x9xf32>
  return %2 : tensor<4x2x9xf32>
})";
  EXPECT_EQ(sizesAfter(text, 0, 1, 1), "not free");
  EXPECT_EQ(sizesAfter(text, 0, 0, 1), "tensor<1x6x3xf32> tensor<1x2x9xf32>");
}
