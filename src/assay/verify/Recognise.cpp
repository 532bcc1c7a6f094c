// Programs are in separate contexts, so their attributes and types are compared
// as text; operands by the order of their definitions.
#include "assay/verify/Recognise.h"
#include "llvm/ADT/DenseMap.h"

using namespace assay;
using namespace assay::verify;

template <typename T> static std::string textOf(T thing) {
  std::string text;
  llvm::raw_string_ostream os(text);
  thing.print(os);
  return text;
}

/// The attributes that determine what an operation computes: all except those
/// with a dialect's prefix, which are annotations.
static std::string attributesOf(mlir::Operation &op) {
  std::string text;
  for (mlir::NamedAttribute attribute : op.getAttrs())
    if (!attribute.getName().getValue().contains('.'))
      text += attribute.getName().getValue().str() + "=" +
              textOf(attribute.getValue()) + ";";
  return text;
}

namespace {
/// Two blocks walked in step.
class Comparison {
public:
  bool sameBlock(mlir::Block &a, mlir::Block &b);

private:
  bool sameValue(mlir::Value a, mlir::Value b) {
    auto found = partner_.find(a);
    return found != partner_.end() && found->second == b;
  }
  bool meet(mlir::Value a, mlir::Value b) {
    partner_[a] = b;
    return textOf(a.getType()) == textOf(b.getType());
  }
  bool sameOperation(mlir::Operation &a, mlir::Operation &b);
  llvm::DenseMap<mlir::Value, mlir::Value> partner_;
};
} // namespace

bool Comparison::sameOperation(mlir::Operation &a, mlir::Operation &b) {
  if (a.getName().getStringRef() != b.getName().getStringRef() ||
      a.getNumOperands() != b.getNumOperands() ||
      a.getNumResults() != b.getNumResults() ||
      a.getNumRegions() != b.getNumRegions() ||
      attributesOf(a) != attributesOf(b))
    return false;
  for (auto [x, y] : llvm::zip(a.getOperands(), b.getOperands()))
    if (!sameValue(x, y))
      return false;
  for (auto [x, y] : llvm::zip(a.getResults(), b.getResults()))
    if (!meet(x, y))
      return false;
  for (auto [x, y] : llvm::zip(a.getRegions(), b.getRegions())) {
    if (x.getBlocks().size() != y.getBlocks().size())
      return false;
    for (auto [inner, other] : llvm::zip(x.getBlocks(), y.getBlocks()))
      if (!sameBlock(inner, other))
        return false;
  }
  return true;
}

bool Comparison::sameBlock(mlir::Block &a, mlir::Block &b) {
  if (a.getNumArguments() != b.getNumArguments() ||
      a.getOperations().size() != b.getOperations().size())
    return false;
  for (auto [x, y] : llvm::zip(a.getArguments(), b.getArguments()))
    if (!meet(x, y))
      return false;
  for (auto [x, y] : llvm::zip(a.getOperations(), b.getOperations()))
    if (!sameOperation(x, y))
      return false;
  return true;
}

bool verify::sameOperations(const BoundProgram &a, const BoundProgram &b) {
  llvm::Expected<mlir::func::FuncOp> first = a.program->function(a.entry),
                                     second = b.program->function(b.entry);
  if (!first || !second) {
    llvm::consumeError(llvm::joinErrors(first.takeError(), second.takeError()));
    return false;
  }
  return Comparison().sameBlock(first->getBody().front(),
                                second->getBody().front());
}

static std::optional<Problem> recogniseAs(const Driver &driver,
                                          const BoundProgram &bound) {
  std::optional<Problem> guess =
      driver.recognise ? driver.recognise(bound) : std::nullopt;
  if (!guess)
    return std::nullopt;
  llvm::Expected<BoundProgram> again = driver.build(*guess);
  if (again)
    return sameOperations(bound, *again) ? guess : std::nullopt;
  llvm::consumeError(again.takeError());
  return std::nullopt;
}

std::optional<Problem> verify::recognise(const BoundProgram &bound,
                                         const Driver *origin) {
  if (origin)
    if (std::optional<Problem> found = recogniseAs(*origin, bound))
      return found;
  for (const Driver *driver : allDrivers())
    if (driver->contraction || !origin || !origin->readsFile)
      if (std::optional<Problem> found = recogniseAs(*driver, bound))
        return found;
  return std::nullopt;
}
