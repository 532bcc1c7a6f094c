/// `assay triage`: the debugging steps for a verification that compares an
/// engine with a trusted, fast implementation, as a program. It repeats the
/// failure, runs without the fast reference, tests it, tries other engines,
/// types, formats, threads and instruction sets, and makes the case small.
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
  std::string folder;        ///< for the smallest test; empty: it is not
                             ///< written
};

/// Triages a problem of `assay verify`. The answers:
///   engine     it fails by the reference's judgement too, and the fast
///              reference passes by it
///   reference  the engine passes by it, and the fast reference does not
///   both       neither of them passes by it
///   tolerance  by the derived bound it is right where the rule says wrong,
///              or the reverse
///   unsure     unrelated engines fail in the same way, the data cannot tell,
///              or the answers contradict each other
/// Errors: those of writing the test.
llvm::Expected<Diagnosis> triageProblem(const verify::Problem &problem,
                                        const TriageOptions &options);

/// A program on an engine, with or without expected results from a file.
struct ProgramQuestion {
  std::shared_ptr<const program::Program> program;
  std::string entry, engine, rule = "dtype";
  std::vector<tensor::Tensor> inputs;
  std::string expectFile; ///< with the members out0, out1, ...; empty: there is
                          ///< none
  std::string words;      ///< of the command line, for the repro line
  double timeoutSeconds = 10;
};
/// Errors: those of the program on the reference, and of reading and writing.
llvm::Expected<Diagnosis> triageProgram(const ProgramQuestion &question,
                                        const TriageOptions &options);

} // namespace assay::triage
