/// benchdnn's spelling of element types (`--dt`, `--bia-dt`, post-op and scale
/// types). Types that Assay does not compute with are known by name, so that a
/// problem that asks for one is UNIMPLEMENTED and not a syntax error.
#pragma once

#include "assay/judge/Types.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace assay::verify {

using numerics::ElementType;
namespace types = judge::types;

std::optional<ElementType> parseDataType(llvm::StringRef name);
/// The names of those that Assay computes with, for messages.
std::string supportedTypes();
/// "undef" for types::None.
const char *nameOf(ElementType type);
/// Assay fills, runs and judges it.
bool isSupported(ElementType type);

} // namespace assay::verify
