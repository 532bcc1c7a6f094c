// One dimension after the other, the longest first: a longer test costs more in
// every later trial. Sizes are not monotone (a kernel may fail at 16 and not at
// 24), so small ones are tried upwards before the gap is halved.
#include "assay/judge/reduce/Dimensions.h"
#include "assay/judge/reduce/Shrink.h"
#include "assay/reference/Strided.h"

#include <set>

using namespace assay;
using namespace assay::judge;

std::optional<size_t> Shrinking::takeFirst(size_t count, Trial::Maker make) {
  auto found = trial.first(count, make, symptom);
  if (!found)
    return std::nullopt;
  test = std::move(found->second);
  return found->first;
}

bool Shrinking::takeEach(size_t count, Trial::Maker make) {
  bool any = false;
  for (size_t at = 0; at < count && !trial.spent();) {
    std::optional<size_t> taken =
        takeFirst(count - at, [&](size_t i) { return make(at + i); });
    if (!taken)
      break;
    any = true;
    at += *taken + 1;
  }
  return any;
}

/// The test with only one of its results.
static llvm::Expected<TestCase> withResult(const TestCase &test,
                                           unsigned keep) {
  TestCase one = test;
  if (!one.recorded.empty())
    one.recorded = {test.recorded[keep]};
  if (!one.expected.empty())
    one.expected = {test.expected[keep]};
  llvm::Error error =
      editedProgram(*test.program, [&](mlir::ModuleOp module) {
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
    return error;
  return one;
}

bool judge::shrinkResults(Shrinking &work) {
  unsigned count = work.test.main().getNumResults();
  return count > 1 && work.takeFirst(count, [&](size_t keep) {
    return withResult(work.test, static_cast<unsigned>(keep));
  });
}

/// For each dimension the place of the worst element, if there is one.
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

namespace {
/// A part of a dimension: its size, and where it begins.
struct Part {
  int64_t size, start;
};
} // namespace

/// Adds parts at the front, at the back, and around the worst element.
static void addParts(std::vector<Part> &parts, int64_t size, int64_t all,
                     int64_t worst) {
  for (int64_t start : std::set<int64_t>{
           0, all - size, std::clamp<int64_t>(worst - size / 2, 0, all - size)})
    parts.push_back({size, start});
}

/// The size that was taken.
static std::optional<int64_t> takePart(Shrinking &work, size_t dimension,
                                       llvm::ArrayRef<Part> parts) {
  std::optional<size_t> taken = work.takeFirst(parts.size(), [&](size_t i) {
    return withSize(work.test, dimension, parts[i].size, parts[i].start);
  });
  return taken ? std::optional(parts[*taken].size) : std::nullopt;
}

static bool shrinkSize(Shrinking &work, size_t dimension, int64_t worst) {
  int64_t all = Dimensions(work.test.main()).size(dimension), fails = all,
          holds = 0; // the largest size below that does not fail
  std::vector<Part> parts;
  std::vector<int64_t> sizes = sizesBelow(all);
  for (int64_t size : sizes)
    addParts(parts, size, all, worst);
  if (std::optional<int64_t> size = takePart(work, dimension, parts))
    fails = *size;
  for (int64_t size : sizes)
    if (size < fails)
      holds = size;
  while (fails - holds > 1 && !work.trial.spent()) {
    int64_t middle = holds + (fails - holds) / 2;
    parts.clear();
    addParts(parts, middle, fails, middle / 2);
    if (takePart(work, dimension, parts))
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
