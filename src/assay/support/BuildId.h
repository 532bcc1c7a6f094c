/// Identifies the build of the code that is running.
#pragma once

#include <string>

namespace assay {

/// The linker's identification of the program or library that holds this
/// function, in hexadecimal digits. Each build has a different one. Empty where
/// the linker wrote none or the system cannot report it.
const std::string &buildId();

} // namespace assay
