/// Which build of the code is running.
#pragma once

#include <string>

namespace assay {

/// The linker's identification of the program or library that holds this
/// function, in hexadecimal digits; every build has another one. Empty where the
/// linker left none, or the system has no such thing.
const std::string &buildId();

} // namespace assay
