/// Correct evaluations of a program that differ in their roundings only: as
/// with other orders of summation, fused operations and other mathematical
/// libraries. They show how far correct results are from the exact one where no
/// bound is known.
#pragma once

#include "assay/program/Program.h"
#include "assay/program/Value.h"
#include "assay/support/ThreadPool.h"

namespace assay::judge {

struct Evaluation {
  double
      amplitude; ///< the size of its roundings, relative to an ordinary
                 ///< implementation
  std::vector<program::Value> results;
};

/// Runs the reference once per amplitude with random roundings: every float
/// argument moves by up to one unit in its last place, every result of an
/// operation by up to what the operation's rule allows (a sum of d terms: half
/// of u * d * rms of the terms, or u * sqrt(d) of the sum where that is more,
/// as in a sequential sum), each times the amplitude. Numbers with few digits
/// (counters, masks, exact data) stay. Two ordinary runs, and three whose
/// roundings are 4 and 16 times as large: these show decisions that an
/// engine takes in another way.
/// Errors: those of the program; ResourceLimit after `maxSeconds` (0: none).
/// Source: D. Parker, "Monte Carlo Arithmetic", UCLA CSD-970002, 1997.
llvm::Expected<std::vector<Evaluation>> evaluateInOtherWays(
    std::shared_ptr<const program::Program> program, llvm::StringRef entry,
    llvm::ArrayRef<tensor::Tensor> inputs, ThreadPool &pool, double maxSeconds);

/// The largest distance, over a few runs, that each number of each result moves
/// when every float argument moves by up to a unit in its last place; numbers
/// with few digits move too.
/// Errors: those of the program.
llvm::Expected<std::vector<std::vector<double>>>
movesWithArguments(std::shared_ptr<const program::Program> program,
                   llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
                   ThreadPool &pool, double maxSeconds);

/// The reference's results for a program that is run once.
/// Errors: those of the program.
llvm::Expected<std::vector<program::Value>>
evaluateOnce(std::shared_ptr<const program::Program> program,
             llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
             ThreadPool &pool, double maxSeconds);

/// The results where every subnormal number that goes into an operation or
/// comes out of one counts as 0, as on processors that are told to flush them.
/// Errors: those of the program.
llvm::Expected<std::vector<program::Value>>
evaluateFlushed(std::shared_ptr<const program::Program> program,
                llvm::StringRef entry, llvm::ArrayRef<tensor::Tensor> inputs,
                ThreadPool &pool, double maxSeconds);

/// Whether a tensor of floats holds a subnormal number.
bool hasSubnormals(const tensor::Tensor &tensor);

} // namespace assay::judge
