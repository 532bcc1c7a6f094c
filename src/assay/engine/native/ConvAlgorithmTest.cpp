// The choice among the algorithms of convolutions: their order, and why one does not take a
// convolution.
#include "assay/engine/native/ConvolutionAgreement.h"

using namespace assay;
using namespace assay::engine;

/// Each channel for itself, in planes.
static Form planes(Dims lhs, Dims kernel, Dims dilation = {1, 1}) {
  Form form{"planes", lhs, {lhs[1], 1, kernel[0], kernel[1]}, windows({1, 1}, 0)};
  form.options.featureGroups = lhs[1];
  form.options.lhsDilation = dilation;
  return form;
}

static std::string refusalBy(const ConvAlgorithm &algorithm, const Form &form) {
  return refusalOf(form, [&](auto context, const StepSpec &spec) {
    return makeBy(algorithm, std::move(context), spec);
  });
}

TEST(ConvAlgorithm, SaysWhyItDoesNotTakeAConvolution) {
  EXPECT_EQ(refusalBy(kChannelPlanesConvolution, planes({1, 4, 9, 20}, {2, 2}, {3, 3})),
            "a phase has no taps");
  EXPECT_EQ(refusalBy(kChannelPlanesConvolution, planes({1, 4, 9, 1}, {1, 1})),
            "rows of planes fill less than half a vector");
  EXPECT_EQ(refusalBy(kPlanesConvolution, channelsLast("last", {1, 9, 8, 20}, {3, 3}, 40, 1)),
            "features have no planes of their own");
  Form between = channelsLast("rows of channels", {1, 9, 8, 20}, {3, 3}, 40, 1);
  between.options.outputSpatial = {1, 3}, between.options.outputFeature = 2;
  EXPECT_EQ(refusalBy(kRowsConvolution, between),
            "positions of the result are not evenly apart");
  Form small{"filter", {2, 3, 20, 30}, {2, 3, 20, 30}, windows({1, 1}, 1)};
  small.options.inputBatch = small.options.kernelOutputFeature = 1;
  small.options.inputFeature = small.options.kernelInputFeature = 0;
  small.options.outputBatch = 1, small.options.outputFeature = 0;
  small.options.batchGroups = 3;
  EXPECT_EQ(refusalBy(kPlaneGradientsConvolution, small),
            "planes of less than 24 KiB, or windows of more than 25 taps");
}

TEST(ConvAlgorithm, ALineBeyondMemoryIsLeftToAnother) {
  auto problem = llvm::cantFail(kernels::parseConvProblem(
      "mb1ic3ih1iw2000000oc8kh1kw3", kernels::ConvDirection::BackwardWeights));
  auto program = llvm::cantFail(convolutionProgram(problem));
  auto context = std::make_shared<NativeContext>();
  forEachConvolution(*program, [&](const StepSpec &spec) {
    Compiled made = makeBy(kGroupColumnsConvolution, context, spec);
    ASSERT_TRUE(std::holds_alternative<Refusal>(made));
    EXPECT_EQ(std::get<Refusal>(made).text, "a line of windows is larger than 16 MiB");
    made = makeConvolution({context, spec});
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Step>>(made));
  });
}

/// What is chosen for sizes comes first; the others follow by their costs.
TEST(ConvAlgorithm, CandidatesAreInTheOrderOfTheirCosts) {
  auto context = std::make_shared<NativeContext>();
  for (Form form : {channelsLast("windows", {1, 9, 8, 20}, {3, 3}, 40, 1),
                    channelsLast("depthwise", {1, 9, 8, 20}, {3, 3}, 20, 20),
                    channelsLast("groups", {1, 9, 8, 64}, {3, 3}, 64, 2),
                    planes({1, 4, 9, 40}, {3, 3})}) {
    auto program = programOf(form);
    forEachConvolution(*program, [&](const StepSpec &spec) {
      ConvRequest request(context, spec);
      auto candidates = convCandidates(request);
      ASSERT_GE(candidates.size(), 2u) << form.name;
      EXPECT_TRUE(llvm::is_sorted(candidates, [](auto &a, auto &b) { return a.cost < b.cost; }));
      if (request.sizes)
        EXPECT_TRUE(candidates[0].config ==
                    context->convolutions->choose(*request.sizes).config);
      for (const ConvCandidate &one : candidates) { // each can be asked for
        request.config.algorithm = one.algorithm;
        EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Step>>(makeConvolution(request)))
            << form.name << ": " << kernels::toString(one.algorithm);
      }
    });
  }
}
