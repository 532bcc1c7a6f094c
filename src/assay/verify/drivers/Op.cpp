// Driver `op`: the problem is a StableHLO program in a file. Its sizes and types stand in the program itself. Engines in
// workers take the four dense drivers only; a whole program is therefore listed and counted, never claimed to be checked:
// `assay run --expect` and `assay test` judge programs.
#include "assay/verify/drivers/Drivers.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error parse(llvm::StringRef token, int64_t mb, Problem &problem) {
  problem.path = token.str();
  problem.unimplemented = "driver op; `assay run PROGRAM --expect FILE.npz` judges a program";
  return llvm::Error::success();
}

static Dims noDims(const Problem &problem, Role role) { return {}; }
static Dims noBias(const Problem &problem) { return {}; }
static std::string text(const Problem &problem) { return problem.path; }
static double operations(const Problem &problem) { return 0; }

const Driver drivers::kOp = {DriverKind::Op,
                             "op",
                             parse,
                             noDims,
                             noBias,
                             text,
                             operations,
                             /*hasDirections=*/false,
                             /*hasAlgorithm=*/false,
                             /*hasStrides=*/false,
                             /*hasBiasMask=*/false};
