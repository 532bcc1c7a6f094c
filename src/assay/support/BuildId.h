/// Which build of the code is running.
#pragma once

#include <string>

namespace assay {

/// The linker's identification of the program or library that holds this
/// function, in hexadecimal digits; each build has a different one. Empty where
/// the linker wrote none, or the system has none.
const std::string &buildId();

} // namespace assay
