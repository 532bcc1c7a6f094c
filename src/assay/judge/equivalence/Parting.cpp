// A value corresponds to the one of the other program with the same
// fingerprint. Values without a partner that lead to values with one were only
// computed another way; those that lead to a difference are where the programs differ.
#include "assay/judge/equivalence/Parting.h"
#include "assay/program/Program.h"
#include "llvm/ADT/DenseSet.h"

using namespace assay;
using namespace assay::judge;

/// The earliest operation without a partner from which the differing results are
/// reached only through operations without partners.
static std::string firstAlone(llvm::ArrayRef<MadeValue> own,
                              const llvm::DenseSet<uint64_t> &other) {
  llvm::DenseSet<mlir::Operation *> alone, reached;
  std::vector<mlir::Operation *> order;
  for (const MadeValue &value : own)
    if (value.op && !other.contains(value.fingerprint) &&
        alone.insert(value.op).second)
      order.push_back(value.op);
  // Backwards from the returned values.
  std::vector<mlir::Operation *> open;
  for (mlir::Operation *op : order)
    for (mlir::Operation *user : op->getUsers())
      if (user->hasTrait<mlir::OpTrait::IsTerminator>() &&
          reached.insert(op).second)
        open.push_back(op);
  while (!open.empty()) {
    mlir::Operation *op = open.back();
    open.pop_back();
    for (mlir::Value operand : op->getOperands())
      if (mlir::Operation *made = operand.getDefiningOp())
        if (alone.contains(made) && reached.insert(made).second)
          open.push_back(made);
  }
  for (mlir::Operation *op : order)
    if (reached.contains(op)) {
      std::string name = op->getName().getStringRef().str();
      return name + " at " + program::describeLocation(op->getLoc());
    }
  return "";
}

Parting judge::whereTheyPart(llvm::ArrayRef<MadeValue> a,
                             llvm::ArrayRef<MadeValue> b) {
  llvm::DenseSet<uint64_t> inA, inB;
  for (const MadeValue &value : a)
    inA.insert(value.fingerprint);
  for (const MadeValue &value : b)
    inB.insert(value.fingerprint);
  Parting parting;
  parting.a = firstAlone(a, inB);
  parting.b = firstAlone(b, inA);
  for (const MadeValue &value : b)
    parting.matched += inA.contains(value.fingerprint);
  return parting;
}
