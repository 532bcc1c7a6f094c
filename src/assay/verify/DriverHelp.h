/// What `assay verify --help` and `assay verify --DRIVER --help` say about the
/// drivers: from Drivers.def, DriverHelp.def, Knobs.def and each driver's own
/// knobs.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify {

/// A row of DriverHelp.def.
struct DriverHelp {
  const char *name, *title, *grammar, *meaning;
  const char *knobs; ///< those of Knobs.def that govern it, by spaces
  std::array<const char *, 3> examples; ///< the words after `assay verify`
};
/// The driver's row; nullptr when it has none.
const DriverHelp *findDriverHelp(llvm::StringRef name);

/// A line for each driver: its word and what it checks.
std::string driverList();
/// The grammar of its problems, its knobs with their defaults, examples.
std::string driverHelpText(const Driver &driver);

} // namespace assay::verify
