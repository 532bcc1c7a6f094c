/// `--property=NAME,...`: runs of one engine that must have equal results,
/// whatever it computes. The operation's program shows which properties apply
/// (Rows.h, Homogeneity.h).
#pragma once

#include "assay/verify/Report.h"

namespace assay::verify {

/// The names, "all" among them. Errors: InvalidArgument for another one.
llvm::Expected<std::vector<std::string>> parseProperties(llvm::StringRef text);
/// "NAME, NAME or all".
std::string propertyNames();

class PropertyRuns;

/// Checks the properties that the problem's options name, on each of its fills:
/// the first that does not hold is the outcome. Never fails: errors are
/// outcomes.
void askProperties(PropertyRuns &runs, Outcome &outcome);

} // namespace assay::verify
