// The table of spaces, and what this processor's spaces have in common: a row
// of a data set is a problem and the name of a kernel.
#include "assay/select/KernelSet.h"
#include "assay/select/LearnedSelector.h"

using namespace assay;
using namespace assay::select;

const KernelSpace *select::findSpace(llvm::StringRef op) {
#define ASSAY_KERNEL_SPACE(function, what)                                     \
  if (function().op() == op)                                                   \
    return &function();
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE
  return nullptr;
}

const LocalSpace *select::findLocal(llvm::StringRef op) {
  const KernelSpace *space = findSpace(op);
  return space && space->runsHere() ? static_cast<const LocalSpace *>(space)
                                    : nullptr;
}

const LocalSpace &select::defaultSpace() {
  return static_cast<const LocalSpace &>(gemmSpace());
}

llvm::ArrayRef<FeatureInfo> select::featuresOf(llvm::StringRef op) {
  const KernelSpace *space = findSpace(op);
  return space ? space->features() : llvm::ArrayRef<FeatureInfo>();
}

std::vector<ProblemRef> select::onThreads(llvm::ArrayRef<ProblemRef> problems,
                                          llvm::ArrayRef<int> threads) {
  std::vector<ProblemRef> all;
  for (const ProblemRef &problem : problems)
    for (int count : threads)
      all.push_back(problem->onThreads(count));
  return all;
}

ProblemWords select::wordsOf(const Rows &rows, size_t row, std::string place) {
  return {std::move(place), rows.text("dtype", row).str(),
          rows.text("layout", row).str(),
          static_cast<int>(rows.integer("threads", row, 1)),
          [&rows, row](const char *name, int64_t otherwise) {
            return rows.integer(name, row, otherwise);
          },
          [&rows, row](const char *name) { return rows.text(name, row).str(); }};
}

llvm::Expected<KernelSpace::RowProblem>
LocalSpace::problemIn(const Rows &rows, size_t row) const {
  llvm::Expected<ProblemRef> problem = parse(wordsOf(rows, row, rows.place(row)));
  if (!problem)
    return problem.takeError();
  return RowProblem{(*problem)->groupKey(), (*problem)->sizes()};
}

llvm::Expected<std::vector<double>>
LocalSpace::featuresIn(const Rows &rows, size_t row,
                       const FeatureMachine &machine) const {
  llvm::Expected<ProblemRef> problem = parse(wordsOf(rows, row, rows.place(row)));
  if (!problem)
    return problem.takeError();
  auto features =
      this->row(**problem, rows.text("kernel_name", row), machine.processor);
  if (!features)
    return addContext(features.takeError(), rows.place(row));
  return std::vector<double>(features->begin(), features->end());
}

//===--- Sets of kernels ---------------------------------------------------===//

std::string select::plainName(llvm::StringRef op) {
  const LocalSpace *space = findLocal(op);
  return (space ? *space : defaultSpace()).plainName().str();
}

std::string KernelSet::registryHash() const {
  return space_.listHash(dtype_, layout_, registry());
}

int32_t KernelSet::numberOf(llvm::StringRef name,
                            const Problem &problem) const {
  for (size_t i = 0; i < sizeFor(problem); ++i)
    if (nameOf(static_cast<int32_t>(i)) == name)
      return static_cast<int32_t>(i);
  return -1;
}

std::vector<int32_t> KernelSet::supported(const Problem &problem) const {
  std::vector<int32_t> numbers;
  for (size_t i = 0; i < sizeFor(problem); ++i)
    if (!supports(problem, static_cast<int32_t>(i)))
      numbers.push_back(static_cast<int32_t>(i));
  return numbers;
}

std::vector<ProblemRef> KernelSet::drawAsked(double gflop, uint64_t seed,
                                             uint32_t stream) const {
  std::vector<ProblemRef> problems = draw(gflop, seed, stream);
  llvm::erase_if(problems, [](const ProblemRef &problem) {
    return problem->flops() < kLeastModelFlops;
  });
  return problems;
}
