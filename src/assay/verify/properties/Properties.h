/// `--property=NAME,...`: what must be equal between runs of one engine, whatever
/// it computes. Which of them apply to an operation is read off its
/// program (Rows.h, Homogeneity.h).
#pragma once

#include "assay/verify/ProgramCase.h"
#include "assay/verify/Report.h"

namespace assay::verify {

/// The names, "all" among them. Errors: InvalidArgument for another one.
llvm::Expected<std::vector<std::string>> parseProperties(llvm::StringRef text);
/// "NAME, NAME or all".
std::string propertyNames();

/// The subject of a problem's properties.
struct PropertyQuestion {
  const Problem &problem;
  const BoundProgram &bound;
  const Problem *found; ///< the problem that the grammar recognises in the program, or null
  engine::Worker &tested;
  engine::Arena &arena;
  ThreadPool &pool;
  int threads;
};

/// Asks the properties that the problem's options name, on each of its fills:
/// the first that does not hold is the outcome. Never fails: errors are
/// outcomes.
void askProperties(const PropertyQuestion &question, Outcome &outcome);

} // namespace assay::verify
