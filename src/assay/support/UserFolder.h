/// The folder for measurements made on the user's machine, and the folders with
/// the models that Assay ships.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// XDG_DATA_HOME/assay, else .local/share/assay in the home directory (XDG Base
/// Directory Specification: an empty variable counts as not set); empty where
/// there is neither. It need not exist.
std::string userDataFolder();

/// The folders that are searched for models and kernel speeds, best first: only
/// ASSAY_MODEL_DIR where it is set; else `models` in userDataFolder(), then the
/// folders beside this code and its program. They need not exist.
std::vector<std::string> modelFolders();
/// The folder into which `assay tune auto` installs this user's models; empty
/// if there is no userDataFolder().
std::string userModelFolder();

} // namespace assay
