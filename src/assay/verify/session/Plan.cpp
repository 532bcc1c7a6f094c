#include "assay/verify/session/Plan.h"
#include "assay/program/Program.h"
#include "assay/verify/Recognise.h"
#include "assay/verify/Settings.h"
#include "assay/verify/session/ContractionTrial.h"
#include "assay/verify/session/ProgramTrial.h"

using namespace assay;
using namespace assay::verify;

/// "src=aBcd16b,dst=aBcd16b": the formats with inner blocks that the engine should
/// use. Contractions state theirs as stag, wtag and dtag.
static std::string blockedFormats(const BoundProgram &bound) {
  std::string text;
  for (const std::vector<Binding> *list : {&bound.inputs, &bound.outputs})
    for (const Binding &binding : *list)
      if (isBlockedTag(binding.tag))
        text += (text.empty() ? "" : ",") + binding.role + "=" + binding.tag;
  return text;
}

static std::optional<Problem> offeredProblem(const Problem &problem,
                                             const BoundProgram &bound) {
  if (!problem.driver->readsFile) {
    if (problem.requests.count("grouped")) // descriptors have no groups
      return std::nullopt;
    return problem;
  }
  std::optional<Problem> found = recognise(bound, problem.driver);
  if (found) {
    found->options = problem.options;
    found->repro = problem.repro;
    found->requests = problem.requests;
  }
  return found;
}

llvm::Expected<std::unique_ptr<PlannedProblem>>
Planner::plan(const Problem &problem) {
  auto planned = std::make_unique<PlannedProblem>();
  planned->problem = problem;
  Problem withSource = problem;
  if (problem.driver->readsFile) {
    if (path_ != problem.path || !program_) {
      program_.reset();
      if (llvm::Error error =
              program::Program::load(problem.path).moveInto(program_))
        return error;
      path_ = problem.path;
    }
    withSource.source = program_;
  }
  if (llvm::Error error =
          problem.driver->build(withSource).moveInto(planned->bound))
    return error;
  if (!problem.driver->contraction)
    if (std::string formats = blockedFormats(planned->bound); !formats.empty())
      planned->problem.requests["formats"] = formats;
  planned->offered = offeredProblem(planned->problem, planned->bound);
  return planned;
}

llvm::Expected<std::unique_ptr<Trial>>
verify::trialOf(const PlannedProblem &planned, Resources &resources) {
  const Problem *offered = planned.offeredOrNull();
  auto asProgram = [&] {
    return std::make_unique<ProgramTrial>(
        programCase(planned.problem, planned.bound, offered), resources);
  };
  if (!offered || !offered->driver->contraction)
    return asProgram();
  llvm::Expected<Lowered> lowered = lower(*offered);
  if (!lowered)
    return lowered.takeError();
  lowered->bound = &planned.bound;
  // A sum over no elements is zero, as the whole program computes it.
  if (llvm::any_of(lowered->slots,
                   [](const Slot &slot) { return slot.elements() == 0; }))
    return asProgram();
  return std::make_unique<ContractionTrial>(std::move(*lowered), resources);
}
