// The convolution kernels: every one that supports a problem computes it exactly,
// the rule is the engine's own choice, problems and operations are each other's
// reverse, and what does not fit is refused with a reason.
#include "assay/engine/native/ConvolutionContest.h"

#include "assay/engine/native/ConvolutionAgreement.h"
#include "gtest/gtest.h"


namespace assay::engine {

using kernels::ConvConfig;
using kernels::ConvDirection;
using kernels::ConvProblem;

static constexpr ConvDirection kDirections[] = {ConvDirection::Forward,
                                                ConvDirection::BackwardData,
                                                ConvDirection::BackwardWeights};

static constexpr const char *kProblems[] = {
    "mb2ic9ih11oc33kh3ph1",         // plain, more channels than a vector
    "mb1ic64ih9iw23oc40kh3sh2ph1",  // strided
    "mb2ic5ih30oc8kh7sh2ph3",       // few channels: taps together
    "mb2ic24ih7oc40",               // a window of one element
    "mb1ic24ih8oc40sh2",            // the same, strided
    "mb1ic16ih12oc16kh3dh1ph2",     // dilated
    "mb2g20ic20ih14oc20kh3ph1",     // depthwise
    "mb1g20ic20ih15oc20kh5sh2ph2",  // the same, strided
    "mb1g4ic32ih10oc48kh3ph1",      // groups
    "mb1ic12ih3oc20kh3ph1",         // short lines
    "mb1ic6id4ih9oc10kh3ph1",       // three dimensions
    "mb1ic3ih20oc16oh10kh3sh2ph0"}; // padding after alone

static ConvProblem problemOf(const char *text, ConvDirection direction) {
  return llvm::cantFail(kernels::parseConvProblem(text, direction));
}

/// The operation of a problem, decoded.
static std::optional<ConvProblem> readBack(const ConvProblem &problem) {
  auto program = llvm::cantFail(convolutionProgram(problem));
  std::optional<ConvProblem> found;
  forEachConvolution(*program, [&](const StepSpec &spec) {
    found = convProblemOf(spec, Layout::dense(spec.operands[1]));
  });
  return found;
}

TEST(ConvolutionAlgorithms, OperationsAndProblemsAreEachOthersReverse) {
  for (const char *text : kProblems)
    for (ConvDirection direction : kDirections) {
      ConvProblem problem = problemOf(text, direction);
      std::optional<ConvProblem> back = readBack(problem);
      ASSERT_TRUE(back) << toString(problem);
      EXPECT_TRUE(*back == problem)
          << toString(*back) << " of " << toString(problem);
    }
}

TEST(ConvolutionAlgorithms, PlanarImagesAreNone) {
  Form form{"planar", {1, 4, 8, 8}, {4, 4, 3, 3}, {}};
  auto program = programOf(form);
  int count = 0;
  forEachConvolution(*program, [&](const StepSpec &spec) {
    ++count;
    EXPECT_FALSE(convProblemOf(spec, Layout::dense(spec.operands[1])));
    auto context = std::make_shared<NativeContext>();
    auto refusal = [&](kernels::ConvAlgorithm algorithm, Layout filter) {
      ConvRequest request(context, spec, std::move(filter));
      request.config.algorithm = algorithm;
      Compiled made = makeConvolution(request);
      auto *found = std::get_if<Refusal>(&made);
      return found ? found->text : std::string();
    };
    Layout stored = Layout::dense(spec.operands[1]), backwards = stored;
    backwards.strides[2] = -backwards.strides[2];
    using kernels::ConvAlgorithm;
    EXPECT_EQ(refusal(ConvAlgorithm::Windows, stored),
              "channels do not lie side by side");
    EXPECT_EQ(refusal(ConvAlgorithm::Rows, backwards),
              "the algorithm reads its filter in place");
    EXPECT_EQ(refusal(ConvAlgorithm::Planes, backwards), "");
  });
  EXPECT_EQ(count, 1);
}

/// Every kernel of a direction on the problems, against the reference.
static void checkAll(ConvDirection direction) {
  auto context = std::make_shared<NativeContext>();
  const kernels::Machine &machine = context->registry.machine();
  ThreadPool one(1);
  auto configs = kernels::convKernels(direction, machine);
  for (const char *text : kProblems) {
    ConvProblem problem = problemOf(text, direction);
    auto bench = llvm::cantFail(ConvolutionBench::create(
        context, problem, one, ConvolutionBench::Fill::Exact, 3));
    Tensor expected = llvm::cantFail(bench->expected());
    int64_t taken = 0;
    for (const ConvConfig &config : configs) {
      if (kernels::supports(problem, config, machine))
        continue;
      SCOPED_TRACE(config.name() + " on " + toString(problem));
      auto step = bench->compile(config);
      if (!step) {
        ADD_FAILURE() << llvm::toString(step.takeError());
        continue;
      }
      llvm::cantFail(bench->run(**step));
      EXPECT_EQ(std::memcmp(bench->result().bytes(), expected.bytes(),
                            static_cast<size_t>(expected.denseBytes())),
                0);
      ++taken;
    }
    EXPECT_GT(taken, 0) << toString(problem);
  }
}

TEST(ConvolutionKernels, ForwardIsExactByEach) {
  checkAll(ConvDirection::Forward);
}
TEST(ConvolutionKernels, BackwardDataIsExactByEach) {
  checkAll(ConvDirection::BackwardData);
}
TEST(ConvolutionKernels, BackwardWeightsIsExactByEach) {
  checkAll(ConvDirection::BackwardWeights);
}

TEST(ConvolutionKernels, TheEngineTakesWhatItsModelOrRuleNames) {
  auto context = std::make_shared<NativeContext>();
  for (const char *text : kProblems)
    for (ConvDirection direction : kDirections) {
      ConvProblem problem = problemOf(text, direction);
      ConvConfig named = context->convolutions->choose(problem).config;
      auto program = llvm::cantFail(convolutionProgram(problem));
      forEachConvolution(*program, [&](const StepSpec &spec) {
        ConvCandidate first = convCandidates({context, spec}).front();
        EXPECT_EQ(first.algorithm, named.algorithm) << toString(problem);
        EXPECT_TRUE(first.config == named) << toString(problem);
      });
    }
}

TEST(ConvolutionKernels, TheCheckKeepsItsSampleSmall) {
  for (ConvDirection direction : kDirections)
    for (const char *text :
         {"mb64ic512ih128oc1024kh3ph1", "mb8g960ic960ih56oc960kh5sh2ph2",
          "mb1ic3ih224oc64kh7sh2ph3", "mb4g32ic512ih64oc512kh3dh2ph3"}) {
      ConvProblem problem = problemOf(text, direction),
                  small = ConvolutionCheck::sampleOf(problem);
      EXPECT_FALSE(kernels::validate(small)) << toString(small);
      EXPECT_LT(small.flops(), 2e7) << toString(small);
      EXPECT_EQ(small.stride, problem.stride);
      EXPECT_EQ(small.filter, problem.filter);
      EXPECT_EQ(small.groups > 1, problem.groups > 1);
    }
}

namespace {
/// The right kernel, after which one element of the result is something else.
class SpoiltStep final : public Step {
public:
  SpoiltStep(std::shared_ptr<const Step> right, int64_t element, int onThreads)
      : right_(std::move(right)), element_(element), onThreads_(onThreads) {}
  llvm::Error run(StepContext &context) const override {
    Tensor &out = context.out(0);
    float before = out.data<float>()[element_];
    if (llvm::Error error = right_->run(context))
      return error;
    // What the memory held before the run: a kernel that does not write it shows.
    if (context.run.threads.threads() == onThreads_)
      const_cast<float *>(out.data<float>())[element_] = before;
    return llvm::Error::success();
  }

private:
  std::shared_ptr<const Step> right_;
  int64_t element_;
  int onThreads_;
};
} // namespace

TEST(ConvolutionKernels, TheCheckSeesEachWrongElementOnEitherNumberOfThreads) {
  auto context = std::make_shared<NativeContext>();
  for (ConvDirection direction : kDirections) {
    ConvProblem problem = problemOf("mb1ic3ih4oc2kh3ph1", direction);
    ConvConfig config = kernels::ruleFor(problem, context->registry.machine());
    llvm::cantFail(ConvolutionCheck(context).check(problem, config));
    ThreadPool one(1);
    int64_t elements = llvm::cantFail(ConvolutionBench::create(
                                          context, problem, one,
                                          ConvolutionBench::Fill::Exact, 7))
                           ->result()
                           .size();
    ASSERT_GT(elements, 20);
    for (int threads : {1, 2})
      for (int64_t element = 0; element < elements; ++element) {
        ConvolutionCheck check(
            context,
            [&](const ConvolutionBench &bench, const ConvConfig &wanted)
                -> llvm::Expected<std::shared_ptr<const Step>> {
              auto right = bench.compile(wanted);
              if (!right)
                return right;
              return std::make_shared<SpoiltStep>(*right, element, threads);
            });
        for (int asked = 0; asked < 2; ++asked) // judged; remembered
          EXPECT_EQ(llvm::toString(check.check(problem, config)),
                    config.name() + " computes element " +
                        std::to_string(element) +
                        " of the check's result wrongly on this machine")
              << toString(problem) << " on " << threads << " threads";
      }
  }
}

TEST(ConvolutionKernels, AContestRunsOnTheThreadsOfItsProblem) {
  // A step takes the whole pool, so that a bench has one of the problem's size.
  auto context = std::make_shared<NativeContext>();
  ThreadPool two(2);
  ConvProblem problem =
      problemOf("mb1ic16ih8oc16kh3ph1", ConvDirection::Forward);
  auto bench = ConvolutionBench::create(context, problem, two,
                                        ConvolutionBench::Fill::Exact, 3);
  ASSERT_FALSE(bool(bench));
  EXPECT_EQ(llvm::toString(bench.takeError()),
            "conv_fwd f32 nhwc mb1ic16ih8oc16oh8kh3ph1 t1 runs on 1 threads, "
            "the pool has 2");
  ConvolutionSource source(ConvDirection::Forward);
  for (int threads : {1, 2, 3}) {
    auto contest = llvm::cantFail(source.contest(
        select::problemOf(problem)->onThreads(threads), two, 1));
    EXPECT_EQ(contest->threads(), threads);
    llvm::cantFail(contest->prepare(contest->candidates().front()))->run();
  }
}

TEST(ConvolutionKernels, AContestOffersWhatPassesItsCheck) {
  ConvolutionSource source(ConvDirection::Forward);
  ThreadPool one(1);
  ConvProblem problem =
      problemOf("mb1ic16ih8oc16kh3ph1", ConvDirection::Forward);
  auto contest =
      llvm::cantFail(source.contest(select::problemOf(problem), one, 1));
  std::vector<int32_t> candidates = contest->candidates();
  ASSERT_GT(candidates.size(), 5u);
  EXPECT_EQ(contest->name(candidates.front()),
            kernels::ruleFor(problem, source.machine()).name());
  EXPECT_EQ(contest->title(), "conv_fwd f32 nhwc mb1ic16ih8oc16oh8kh3ph1 t1");
  for (size_t i = 0; i < 3; ++i)
    llvm::cantFail(contest->prepare(candidates[i]))->run();
  // A choice for other problems is refused.
  for (size_t i = 0; i < source.configs().size(); ++i)
    if (source.configs()[i].algorithm == kernels::ConvAlgorithm::Channels) {
      auto none = contest->prepare(static_cast<int32_t>(i));
      ASSERT_FALSE(bool(none));
      EXPECT_NE(llvm::toString(none.takeError()).find("one group"),
                std::string::npos);
      break;
    }
  problem.direction = ConvDirection::BackwardData;
  auto other = source.contest(select::problemOf(problem), one, 1);
  ASSERT_FALSE(bool(other));
  EXPECT_NE(llvm::toString(other.takeError()).find("is not a problem of conv_fwd"),
            std::string::npos);
}

} // namespace assay::engine
