/// `assay triage`: the debugging algorithm of a verification that compares an
/// engine with a trusted, fast implementation, run instead of written down: it
/// repeats the failure, runs without the fast reference, tests it, tries
/// other engines, types, formats, threads and instruction sets, and makes the
/// case small.
#pragma once

#include "assay/program/Program.h"
#include "assay/support/ThreadPool.h"
#include "assay/tensor/Tensor.h"
#include "assay/triage/Diagnosis.h"
#include "assay/verify/Problem.h"

namespace assay::triage {

struct TriageOptions {
  int threads = 0;
  double budgetSeconds = 50; ///< for making the case small
  std::string folder;        ///< of the smallest test; empty: none is written
};

/// A problem of `assay verify`.
///   engine     it fails by the reference's judgement too, and the fast
///              reference passes there
///   reference  it passes there, and the fast reference does not
///   both       neither passes there
///   tolerance by the derived bound it is right where the rule says wrong,
///              or the reverse
///   unsure     engines that have nothing in common fail alike, the data cannot
///              tell, or the answers contradict each other
/// Errors: those of writing the test.
llvm::Expected<Diagnosis> triageProblem(const verify::Problem &problem,
                                        const TriageOptions &options);

/// A program on an engine, with expected results from a file or without.
struct ProgramQuestion {
  std::shared_ptr<const program::Program> program;
  std::string entry, engine, rule = "dtype";
  std::vector<tensor::Tensor> inputs;
  std::string expectFile; ///< members out0, out1, ...; empty: none
  std::string words;      ///< of the command line, for the repro line
  double timeoutSeconds = 10;
};
/// Errors: those of the program on the reference, of reading and writing.
llvm::Expected<Diagnosis> triageProgram(const ProgramQuestion &question,
                                        const TriageOptions &options);

} // namespace assay::triage
