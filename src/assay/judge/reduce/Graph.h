/// The first cut: from a program to the few of its operations that fail on
/// inputs computed by the reference.
#pragma once

#include "assay/judge/reduce/Executions.h"
#include "assay/judge/reduce/Trial.h"

namespace assay::judge {

/// A part of the program that fails alone.
struct FailingPart {
  TestCase test;
  Symptom symptom = Symptom::None;
  std::string operation; ///< "stablehlo.dot_general"; the first operation's
                         ///< name
  std::string location;  ///< in the program
  int64_t execution = 0; ///< of that operation, from 0
};

struct GraphSearch {
  std::vector<FailingPart> parts; ///< one per fault, in order of execution
  int64_t executions = 0; ///< operations that the run of the program executed
  std::string note;       ///< what could not be examined
};

/// Each operation is given to the subject as it ran, with the operands that the
/// reference computed: the first whose results leave the bound is the fault,
/// whatever follows it. Operations of one kind and type that fail in the same
/// way count as one fault. Where none fails alone, the smallest set that fails
/// together is searched for (delta debugging over the unrolled run); where
/// there is none, the result is the whole program. `kMaxParts` faults at most.
/// Errors: those of the program on the reference.
/// Source: A. Zeller, R. Hildebrandt, "Simplifying and Isolating
/// Failure-Inducing Input", IEEE TSE 28 (2002).
llvm::Expected<GraphSearch>
searchGraph(const std::shared_ptr<const program::Program> &program,
            llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
            const PlanMaker &plan, Trial &trial);

inline constexpr size_t kMaxParts = 4;

} // namespace assay::judge
