// One dimension after the other, the longest first: a longer test costs more in
// every later trial. Sizes are not monotone (a kernel may fail at 16 and not at
// 24), so small ones are tried upwards before the gap is halved.
#include "assay/judge/reduce/Dimensions.h"
#include "assay/judge/reduce/Shrink.h"
#include "assay/reference/Strided.h"

#include <set>

using namespace assay;
using namespace assay::judge;

bool Shrinking::take(llvm::Expected<TestCase> smaller) {
  if (!smaller) {
    llvm::consumeError(smaller.takeError());
    return false;
  }
  if (trial.symptom(*smaller) != symptom)
    return false;
  test = std::move(*smaller);
  return true;
}

bool judge::shrinkResults(Shrinking &work) {
  unsigned count = work.test.main().getNumResults();
  for (unsigned keep = 0; keep < count && count > 1; ++keep) {
    TestCase one = work.test;
    if (!one.recorded.empty())
      one.recorded = {work.test.recorded[keep]};
    if (!one.expected.empty())
      one.expected = {work.test.expected[keep]};
    llvm::Error error =
        editedProgram(*work.test.program, [&](mlir::ModuleOp module) {
          auto function = mlir::cast<mlir::func::FuncOp>(
              mlir::SymbolTable::lookupSymbolIn(module, "main"));
          mlir::Operation *end = function.getBody().front().getTerminator();
          mlir::Value kept = end->getOperand(keep);
          end->setOperands({kept});
          function.setType(mlir::FunctionType::get(module.getContext(),
                                                   function.getArgumentTypes(),
                                                   {kept.getType()}));
          function.removeResAttrsAttr();
        }).moveInto(one.program);
    if (error)
      llvm::consumeError(std::move(error));
    else if (work.take(std::move(one)))
      return true;
  }
  return false;
}

/// For each dimension the place of the worst element, where it has one.
static std::vector<int64_t> placesOfWorst(Shrinking &work,
                                          const Dimensions &dimensions) {
  std::vector<int64_t> places(dimensions.count());
  Finding finding = work.trial.judge(work.test);
  mlir::Operation *end = work.test.main().getBody().front().getTerminator();
  if (finding.symptom != work.symptom ||
      finding.result >= end->getNumOperands())
    return places;
  mlir::Value result = end->getOperand(static_cast<unsigned>(finding.result));
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(result.getType());
  if (!type)
    return places;
  llvm::SmallVector<int64_t> index(static_cast<size_t>(type.getRank()));
  reference::unflatten(finding.worst.index, type.getShape(), index);
  for (int64_t d = 0; d < type.getRank(); ++d)
    places[dimensions.of(result, d)] = index[static_cast<size_t>(d)];
  return places;
}

/// Sizes worth a trial, ascending.
static std::vector<int64_t> sizesBelow(int64_t size) {
  std::set<int64_t> sizes;
  for (int64_t power = 1; power < size; power *= 2)
    sizes.insert(power);
  for (int64_t divisor = 1; divisor < size && divisor <= 64; ++divisor)
    if (size % divisor == 0)
      sizes.insert(divisor);
  return {sizes.begin(), sizes.end()};
}

static bool takeSize(Shrinking &work, size_t dimension, int64_t size,
                     int64_t worst) {
  int64_t all = Dimensions(work.test.main()).size(dimension);
  std::set<int64_t> starts{
      0, all - size, std::clamp<int64_t>(worst - size / 2, 0, all - size)};
  for (int64_t start : starts)
    if (work.take(withSize(work.test, dimension, size, start)))
      return true;
  return false;
}

static bool shrinkSize(Shrinking &work, size_t dimension, int64_t worst) {
  int64_t all = Dimensions(work.test.main()).size(dimension), fails = all,
          holds = 0; // the largest size below that does not fail
  for (int64_t size : sizesBelow(all)) {
    if (work.trial.spent())
      return fails < all;
    if (takeSize(work, dimension, size, worst)) {
      fails = size;
      break;
    }
    holds = size;
  }
  while (fails - holds > 1 && !work.trial.spent()) {
    int64_t middle = holds + (fails - holds) / 2;
    if (takeSize(work, dimension, middle, middle / 2))
      fails = middle;
    else
      holds = middle;
  }
  return fails < all;
}

bool judge::shrinkSizes(Shrinking &work) {
  Dimensions dimensions(work.test.main());
  std::vector<size_t> order;
  for (size_t i = 0; i < dimensions.count(); ++i)
    if (dimensions.isFree(i) && dimensions.size(i) > 1)
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return dimensions.size(a) > dimensions.size(b);
  });
  bool changed = false;
  std::vector<int64_t> places = placesOfWorst(work, dimensions);
  for (size_t dimension : order) {
    if (work.trial.spent())
      break;
    if (shrinkSize(work, dimension, places[dimension])) {
      changed = true;
      places = placesOfWorst(work, dimensions);
    }
  }
  return changed;
}
