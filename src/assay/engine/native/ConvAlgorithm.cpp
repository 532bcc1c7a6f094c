// The one choice of what computes a convolution. It knows no algorithm: it asks each row of
// the table whether it takes the convolution and what that costs, and the model of select/
// for the parameters of one.
#include "assay/engine/native/ConvAlgorithm.h"

#include "assay/engine/native/KnownType.h"
#include "assay/kernels/WindowProduct.h"
#include "assay/reference/Windows.h"
#include "llvm/Support/FormatVariadic.h"

namespace assay::engine {

using kernels::ConvConfig;

static constexpr const ConvAlgorithm *kRows[] = {
    nullptr, // Rule
#define ASSAY_CONV_ALGORITHM(id, name, isTuned, description)                   \
  &k##id##Convolution,
#include "assay/kernels/conv/ConvAlgorithms.def"
#undef ASSAY_CONV_ALGORITHM
};

static constexpr bool kIsTuned[] = {
    false,
#define ASSAY_CONV_ALGORITHM(id, name, isTuned, description) isTuned,
#include "assay/kernels/conv/ConvAlgorithms.def"
#undef ASSAY_CONV_ALGORITHM
};

static const ConvAlgorithm &functionsOf(kernels::ConvAlgorithm algorithm) {
  return *kRows[static_cast<size_t>(algorithm)];
}

//===--- Requests ---------------------------------------------------------===//

ConvRequest::ConvRequest(std::shared_ptr<NativeContext> native,
                         const StepSpec &asked, Layout layout)
    : context(std::move(native)), spec(asked), filter(std::move(layout)),
      dims(op().getDimensionNumbers()), w(reference::convolutionOf(asked)),
      sizes(convProblemOf(asked, filter)) {
  if (sizes && sizes->direction != kernels::ConvDirection::BackwardWeights &&
      gathersForTiles())
    sizes.reset();
}

bool ConvRequest::isWidened() const {
  mlir::RankedTensorType type = typeOfValue(spec.op->getOperand(0));
  return type && type.getElementType().isInteger(32) &&
         spec.operands[0].element.bits < 32;
}

bool ConvRequest::gathersForTiles() const {
  auto a = kernels::dataTypeOf(spec.operands[0].element),
       b = kernels::dataTypeOf(spec.operands[1].element);
  if (!a || !b || w.axes.empty() || w.groups() > 1)
    return false;
  kernels::WindowProblem problem;
  problem.types = {*a, *b};
  problem.columns = w.groupOut();
  problem.channels = w.groupIn();
  const kernels::Isa &isa = machine().isa;
  if (kernels::isAmx(kernels::windowMath(problem, isa)))
    return false;
  problem.channels *= w.taps(); // gathered
  return problem.channels >= 64 &&
         kernels::isAmx(kernels::windowMath(problem, isa));
}

double ConvRequest::directCost() const {
  constexpr double kFilterElement = 8;
  return double(w.taps()) * double(w.groupIn()) * double(w.outFeatures) *
         (double(w.batch / w.batchGroups) * double(w.positions()) +
          kFilterElement);
}

/// Multiply-adds, those of zeros between an image's elements among them.
static double workOf(const geometry::Convolution &w) {
  return double(w.batch / w.batchGroups) * double(w.positions()) *
         double(w.outFeatures) * double(w.taps()) * double(w.groupIn());
}

//===--- The choice -------------------------------------------------------===//

std::optional<Refusal> refuse(const char *text) {
  return Refusal{ErrorCode::Unsupported, text};
}

double tunedCost(const ConvRequest &request, kernels::ConvAlgorithm algorithm,
                 double otherwise) {
  return request.directCost() *
         (request.sizes
              ? kernels::costOf(*request.sizes, algorithm, request.machine())
              : otherwise);
}

static ConvConfig tunedConfig(const ConvRequest &request) {
  return request.sizes ? request.context->convolutions->choose(*request.sizes).config
                       : ConvConfig();
}

std::vector<ConvCandidate> convCandidates(const ConvRequest &request,
                                          std::string *refusals) {
  std::vector<ConvCandidate> all;
  std::string ignored;
  std::string &why = refusals ? *refusals : ignored;
  double work = workOf(request.w);
  if (work < request.minimumWork || work == 0) {
    why = work == 0 ? "the convolution is empty" : "the convolution is small";
    return all;
  }
  bool isAsked = request.config.algorithm != kernels::ConvAlgorithm::Rule;
  const ConvConfig chosen = isAsked ? request.config : tunedConfig(request);
  constexpr double kNotChosen = 1.05;
  const double direct = request.directCost();
  ConvRequest one = request;
  for (size_t i = 1; i < std::size(kRows); ++i) {
    auto algorithm = static_cast<kernels::ConvAlgorithm>(i);
    bool isChosen = algorithm == chosen.algorithm;
    if (isAsked && !isChosen)
      continue;
    one.config = isChosen ? chosen : ConvConfig();
    if (auto refusal = kRows[i]->supports(one)) {
      why += isAsked ? refusal->text
                     : llvm::formatv("{0}{1}: {2}", why.empty() ? "" : "; ",
                                     kernels::toString(algorithm), refusal->text)
                           .str();
      continue;
    }
    double cost = kRows[i]->cost(one);
    // The model knows the tuned ones better than costs do.
    if (kIsTuned[i] && chosen.algorithm != kernels::ConvAlgorithm::Rule)
      cost = isChosen ? std::min(cost, direct) : std::max(cost, kNotChosen * direct);
    all.insert(isChosen ? all.begin() : all.end(),
               ConvCandidate{algorithm, one.config, cost});
  }
  llvm::stable_sort(all, [](const ConvCandidate &a, const ConvCandidate &b) {
    return a.cost < b.cost;
  });
  return all;
}

/// The first candidate whose kernels can be made.
static Compiled makeFirst(ConvRequest request,
                          llvm::ArrayRef<ConvCandidate> candidates,
                          const std::string &refusals) {
  if (candidates.empty())
    return Refusal{ErrorCode::Unsupported, refusals};
  request.config = candidates.front().config;
  auto next = [&] {
    return makeFirst(request, candidates.drop_front(), refusals);
  };
  Compiled made = functionsOf(candidates.front().algorithm).make(request, next);
  if (std::holds_alternative<Refusal>(made) && candidates.size() > 1)
    return next();
  return made;
}

Compiled makeConvolution(const ConvRequest &request) {
  std::string refusals;
  auto candidates = convCandidates(request, &refusals);
  return makeFirst(request, candidates, refusals);
}

} // namespace assay::engine
