/// What computes a convolution: the interface of an algorithm, and the one choice among
/// those of kernels/conv/ConvAlgorithms.def. Each has a file with its object.
#pragma once

#include "assay/engine/native/ConvProblems.h"
#include "assay/geometry/Convolution.h"

namespace assay::engine {

/// A convolution to be computed. Layouts are settled: the operation's dimensions, and for
/// its filter, which may be a view, `filter`. The operands' element types are those of
/// `spec`, which may be narrower integers than the operation's.
struct ConvRequest {
  ConvRequest(std::shared_ptr<NativeContext> context, const StepSpec &spec,
              Layout filter);
  /// The filter as it is stored.
  ConvRequest(std::shared_ptr<NativeContext> context, const StepSpec &spec)
      : ConvRequest(std::move(context), spec, Layout::dense(spec.operands[1])) {}

  std::shared_ptr<NativeContext> context;
  const StepSpec &spec;
  Layout filter;
  /// What is asked for: an algorithm and its parameters. Rule: the algorithm is to be
  /// chosen; to an algorithm it says that it was not asked for.
  kernels::ConvConfig config;
  double minimumWork = 0; ///< with fewer multiply-adds it is refused

  stablehlo::ConvDimensionNumbersAttr dims;
  geometry::Convolution w;
  /// What models and rules know it as; nullopt for another layout, mixed types, and what
  /// tile registers multiply only when it is gathered.
  std::optional<kernels::ConvProblem> sizes;

  stablehlo::ConvolutionOp op() const {
    return mlir::cast<stablehlo::ConvolutionOp>(spec.op);
  }
  const kernels::Machine &machine() const { return context->registry.machine(); }
  bool isAskedFor(kernels::ConvAlgorithm algorithm) const {
    return config.algorithm == algorithm;
  }
  bool hasDenseFilter() const {
    return filter.offset == 0 &&
           filter.strides == tensor::rowMajorStrides(filter.shape);
  }
  /// The program widens its operands.
  bool isWidened() const;
  /// Tile registers multiply these types, and only gathered windows fill them.
  bool gathersForTiles() const;
  /// The time of windows read in place, in multiply-adds: the unit of costs. A filter's
  /// element comes from the last cache or from memory.
  double directCost() const;
};

/// An algorithm. Threads: any.
struct ConvAlgorithm {
  /// Why it does not take the convolution. Nothing is compiled.
  std::optional<Refusal> (*supports)(const ConvRequest &);
  /// The time of one that it takes, in multiply-adds (ConvRequest::directCost()).
  double (*cost)(const ConvRequest &);
  /// The step with the parameters of `config`, or why its kernels refuse it. `next`: the step
  /// of the other algorithms, for operands that this one does not serve.
  Compiled (*make)(const ConvRequest &, llvm::function_ref<Compiled()> next);
};

#define ASSAY_CONV_ALGORITHM(id, name, isTuned, description)                   \
  extern const ConvAlgorithm k##id##Convolution;
#include "assay/kernels/conv/ConvAlgorithms.def"
#undef ASSAY_CONV_ALGORITHM

/// An algorithm that takes a request: with `config`, at a cost.
struct ConvCandidate {
  kernels::ConvAlgorithm algorithm;
  kernels::ConvConfig config; ///< Rule: none were chosen
  double cost;
};

/// The algorithms that take the request, the cheapest first: that which the model of select/
/// names where there is one, the others by their cost. A request for an algorithm has no other.
/// `refusals`: why the others do not, by name; may be null.
std::vector<ConvCandidate> convCandidates(const ConvRequest &request,
                                          std::string *refusals = nullptr);

/// The step of the first of them whose kernels can be made.
Compiled makeConvolution(const ConvRequest &request);

/// For algorithms: their refusals, their cost where sizes are known, else `otherwise` times
/// directCost().
std::optional<Refusal> refuse(const char *text);
double tunedCost(const ConvRequest &request, kernels::ConvAlgorithm algorithm,
                 double otherwise);

} // namespace assay::engine
