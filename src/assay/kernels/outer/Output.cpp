// The code around a batch entry: makes the sums in C itself if possible, else
// in a buffer of the calling thread, and applies the epilogue to them.
#include "assay/kernels/outer/Output.h"

#include "assay/kernels/outer/Scratch.h"

#include <algorithm>
#include <cstring>

namespace assay::kernels {

bool needsSumBuffer(const GemmProblem &problem, int64_t parts) {
  bool integer = problem.acc == DataType::S32;
  return parts > 1 || problem.c != problem.acc ||
         (problem.cStrides.column != 1 && problem.n > 1) || problem.k == 0 ||
         problem.scale != Scale::None ||
         (integer &&
          (problem.alpha != 1 || (problem.beta != 0 && problem.beta != 1)));
}

const char *entryA(const GemmProblem &problem, const GemmPointers &pointers,
                   int64_t batch) {
  return static_cast<const char *>(pointers.a) +
         batch * problem.aStrides.batch * sizeOf(problem.a);
}
const char *entryB(const GemmProblem &problem, const GemmPointers &pointers,
                   int64_t batch) {
  return static_cast<const char *>(pointers.b) +
         batch * problem.bStrides.batch * sizeOf(problem.b);
}
char *entryC(const GemmProblem &problem, const GemmPointers &pointers,
             int64_t batch) {
  return static_cast<char *>(pointers.c) +
         batch * problem.cStrides.batch * sizeOf(problem.c);
}

void finishEntry(const GemmProblem &problem, const GemmPointers &pointers,
                 const EpilogueBlock &block, char *c, ThreadPool &pool) {
  const char *sums = static_cast<const char *>(block.sums);
  auto rows = [&](int64_t first, int64_t last) {
    EpilogueBlock some = block;
    some.sums = sums + first * block.sumRow * sizeOf(problem.acc);
    some.row = first;
    some.rows = last - first;
    some.columns = problem.n;
    applyEpilogue(problem, some, pointers, c);
  };
  if (problem.threads > 1 && problem.m * problem.n > 32768)
    pool.parallelFor(problem.m, std::max<int64_t>(1, 16384 / problem.n), rows);
  else
    rows(0, problem.m);
}

void forEachEntry(
    const GemmProblem &problem, const GemmPointers &pointers, int64_t parts,
    ThreadPool &pool,
    llvm::function_ref<void(int64_t batch, const SumTarget &target)> compute) {
  if (problem.m == 0 || problem.n == 0)
    return;
  bool buffered = needsSumBuffer(problem, parts);
  SumTarget target;
  target.row = buffered ? problem.n * sizeOf(problem.acc)
                        : problem.cStrides.row * sizeOf(problem.c);
  target.part = problem.m * target.row;
  target.alpha = buffered ? 1 : problem.alpha;
  target.beta = buffered ? 0 : problem.beta;
  // One buffer per calling thread, so that entries may be computed at the same
  // time.
  for (int64_t batch = 0; batch < problem.batch; ++batch) {
    char *c = entryC(problem, pointers, batch);
    target.data = buffered ? sumScratch().reserve(target.part * parts) : c;
    if (problem.k == 0)
      std::memset(target.data, 0, static_cast<size_t>(target.part * parts));
    else
      compute(batch, target);
    if (!buffered && !problem.hasEpilogue())
      continue;
    EpilogueBlock block;
    block.sums = target.data;
    block.sumRow = target.row / sizeOf(problem.acc);
    block.parts = parts;
    block.partStride = target.part / sizeOf(problem.acc);
    block.inPlace = !buffered;
    finishEntry(problem, pointers, block, c, pool);
  }
}

void finishVector(const GemmProblem &entry, const GemmPointers &pointers,
                  const char *sums, int64_t count, int64_t parts,
                  bool mirrored) {
  EpilogueBlock block;
  block.sums = sums;
  block.sumRow = mirrored ? 1 : count;
  block.parts = parts;
  block.partStride = count;
  block.rows = entry.m;
  block.columns = entry.n;
  applyEpilogue(entry, block, pointers, pointers.c);
}

} // namespace assay::kernels
