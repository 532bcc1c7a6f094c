/// Where Assay keeps what it measured on a user's machine, and where what it
/// measured on others is shipped.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// XDG_DATA_HOME/assay, else .local/share/assay in the home directory (XDG Base
/// Directory Specification: an empty variable counts as not set); empty where
/// there is neither. It need not exist.
std::string userDataFolder();

/// The folders that are searched for models and speeds of kernels, best first:
/// ASSAY_MODEL_DIR alone where it is set; else `models` of userDataFolder(), and
/// those beside this code and its program. They need not exist.
std::vector<std::string> modelFolders();
/// Where `assay tune auto` installs models of this user; empty if there is no
/// userDataFolder().
std::string userModelFolder();

} // namespace assay
