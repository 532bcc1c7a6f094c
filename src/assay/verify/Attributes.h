/// The text of benchdnn's `--attr-...` knobs, parsed once and printed back.
#pragma once

#include "assay/judge/contraction/Attributes.h"
#include "assay/support/Error.h"
#include "assay/verify/DataType.h"

namespace assay::verify {

using judge::ArgumentValue;
using judge::Attributes;
using judge::Mask;
using judge::PostOp;

/// Why Assay cannot compute these attributes, or empty. `mainOnly`: scales and
/// zero points of arguments other than src, wei and dst are refused too.
std::string unimplemented(const Attributes &attributes, bool mainOnly);

/// `isScale` chooses the default type (f32 or s32) and checks: a scale is not
/// negative, a zero point is an integer.
llvm::Expected<std::vector<ArgumentValue>>
parseArgumentValues(llvm::StringRef text, bool isScale);
llvm::Expected<std::vector<PostOp>> parsePostOps(llvm::StringRef text);
std::string toText(const std::vector<ArgumentValue> &values, bool isScale);
std::string toText(const std::vector<PostOp> &postOps);

} // namespace assay::verify
