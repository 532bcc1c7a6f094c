/// Where Assay keeps what it learned of a user's machine.
#pragma once

#include <string>

namespace assay {

/// XDG_DATA_HOME/assay, else .local/share/assay in the home directory (XDG Base
/// Directory Specification: an empty variable counts as not set); empty where
/// there is neither. It need not exist.
std::string userDataFolder();

} // namespace assay
