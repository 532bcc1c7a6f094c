/// The engines `reference` and `native` on problems that come as words, without
/// a program.
#pragma once

#include "assay/engine/Plugin.h"

namespace assay::verify {

/// Null for another name.
std::unique_ptr<engine::Host> wordsHost(llvm::StringRef name);

} // namespace assay::verify
