/// Modules that were made with other settings than the bench's. Private to
/// FirstWrong.
#pragma once

#include "assay/trace/Closing.h"
#include "assay/trace/FirstWrong.h"
#include "assay/trace/StepReplay.h"

namespace assay::trace {

/// Modules with other settings (padding_mode, a number of heads) whose results or
/// gradients are off by more than their inputs explain, in order; one suspect per
/// module. In 16 bits such a difference may pass the rule, and each operator inside
/// is right by its own arguments. Modules whose parameters are written in another way
/// (`closing`) are left out.
std::vector<Suspect> modulesMadeOtherwise(const Comparison &comparison,
                                          const StepReplay &replay,
                                          const Closing &closing);

} // namespace assay::trace
