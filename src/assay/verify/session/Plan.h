/// The stage Plan: from a problem's words, or its file, to a problem that can be run.
#pragma once

#include "assay/verify/Driver.h"
#include "assay/verify/session/Resources.h"
#include "assay/verify/session/Trial.h"

namespace assay::program {
class Program;
}

namespace assay::verify {

/// A problem with its program, and the form in which engines get it.
struct PlannedProblem {
  Problem problem;
  BoundProgram bound;
  /// The problem that is offered to engines: the driver's own, or the one that
  /// the grammar recognises in a program from a file; nullopt: only the program
  /// is offered.
  std::optional<Problem> offered;

  const Problem *offeredOrNull() const { return offered ? &*offered : nullptr; }
};

class Planner {
public:
  /// Errors: those of the driver, and of reading the file.
  llvm::Expected<std::unique_ptr<PlannedProblem>> plan(const Problem &problem);

private:
  std::string path_; ///< the file of program_, kept for further functions of it
  std::shared_ptr<const program::Program> program_;
};

/// The trial of a problem. A contraction, whatever words or program it came
/// from, gets fast sums, norms and exact data; everything else, and a sum over
/// no elements, is tried as a program. `planned` must outlive it.
/// Errors: those of lower().
llvm::Expected<std::unique_ptr<Trial>> trialOf(const PlannedProblem &planned,
                                               Resources &resources);

} // namespace assay::verify
