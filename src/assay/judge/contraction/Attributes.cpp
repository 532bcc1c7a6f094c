// Finding one entry among the attributes.
#include "assay/judge/contraction/Attributes.h"
#include "llvm/ADT/StringRef.h"

using namespace assay;
using namespace assay::judge;

std::string Mask::text() const {
  return form == Form::Bits ? std::to_string(bits) : policy;
}

static const ArgumentValue *find(const std::vector<ArgumentValue> &values,
                                 llvm::StringRef argument,
                                 bool isOfBlocks = false) {
  for (const ArgumentValue &value : values)
    if (value.argument == argument && value.isOfBlocks == isOfBlocks)
      return &value;
  return nullptr;
}

const ArgumentValue *Attributes::scale(llvm::StringRef argument) const {
  return find(scales, argument);
}
const ArgumentValue *Attributes::blockScale(llvm::StringRef argument) const {
  return find(scales, argument, /*isOfBlocks=*/true);
}
const ArgumentValue *Attributes::zeroPoint(llvm::StringRef argument) const {
  return find(zeroPoints, argument);
}

const PostOp *Attributes::sum() const {
  for (const PostOp &op : postOps)
    if (op.kind == PostOp::Kind::Sum)
      return &op;
  return nullptr;
}
