/// The engines `reference` and `native` on whole programs (driver op), behind
/// the plugin interface.
#pragma once

#include "assay/engine/Plugin.h"

namespace assay::verify {

/// A kernel that runs the program in the problem's JSON ("program", "entry").
/// Null with the code and the reason in `why`.
class ProgramKernel;
ProgramKernel *createProgramKernel(const assay_problem_t &problem, bool native,
                                   int &code, std::string &why);
/// An assay_plugin_run.
int runProgramKernel(ProgramKernel &kernel, const assay_tensor_t *inputs,
                     const assay_tensor_t *outputs, std::string &why);
double lastSeconds(const ProgramKernel &kernel);
void destroyProgramKernel(ProgramKernel *kernel);

} // namespace assay::verify
