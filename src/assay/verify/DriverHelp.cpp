// The help of a driver is generated from tables, so that a new knob or driver
// appears in it.
#include "assay/verify/DriverHelp.h"
#include "assay/verify/Requests.h"
#include "assay/verify/Settings.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static constexpr DriverHelp kRows[] = {
#define ASSAY_DRIVER_HELP(name, title, grammar, meaning, knobs, first, second, \
                          third)                                               \
  {name, title, grammar, meaning, knobs, {first, second, third}},
#include "assay/verify/DriverHelp.def"
};

const DriverHelp *verify::findDriverHelp(llvm::StringRef name) {
  for (const DriverHelp &row : kRows)
    if (name == row.name)
      return &row;
  return nullptr;
}

/// "  LEFT      right", the right side in one column.
static std::string line(std::string left, llvm::StringRef right, size_t width) {
  left = "  " + left;
  left.resize(std::max<size_t>(left.size() + 2, width), ' ');
  return left + right.str() + "\n";
}

std::string verify::driverList() {
  std::string text;
  for (const Driver *driver : allDrivers())
    if (const DriverHelp *help = findDriverHelp(driver->name))
      text += line(std::string("--") + driver->name, help->title, 16);
  return text;
}

/// A shared knob or a request: "--dt=T,...  help", its default in the help.
static std::string sharedKnob(llvm::StringRef name) {
  if (const RequestKnob *row = findRequest(name)) {
    std::string byDefault = *row->byDefault ? row->byDefault : "none";
    return line("--" + name.str() + "=" + row->argument,
                row->help + (" (default " + byDefault + ")"), 40);
  }
  auto [argument, help] = knobHelpOf(name);
  return line("--" + name.str() + "=" + argument, help, 40);
}

static std::string ownKnob(const OwnKnob &row) {
  std::string byDefault = *row.byDefault ? row.byDefault : "none";
  return line(std::string("--") + row.name + "=...",
              row.help + (" (default " + byDefault + ")"), 40);
}

std::string verify::driverHelpText(const Driver &driver) {
  const DriverHelp *help = findDriverHelp(driver.name);
  assert(help && "every driver has a row in DriverHelp.def");
  std::string name = driver.name,
              text = "Checks " + std::string(help->title) +
                     ".\n\nusage: assay verify --" + name +
                     " [--knob=value ...] PROBLEM ...\n\nPROBLEM is \"" +
                     help->grammar + "\":\n  " + help->meaning +
                     ".\n\nKnobs of the driver, for the problems after them:\n";
  llvm::SmallVector<llvm::StringRef, 16> shared;
  llvm::StringRef(help->knobs).split(shared, ' ', -1, /*KeepEmpty=*/false);
  for (const OwnKnob &row : driver.knobs)
    text += ownKnob(row);
  for (llvm::StringRef knob : shared)
    text += sharedKnob(knob);
  text += "\nThe engine under test is " + std::string(driver.defaultEngine) +
          " unless --engine says otherwise. `assay verify --help` lists the "
          "knobs that every driver takes\n(--engine --fill --rule --mode ...); "
          "docs/drivers/" +
          name + ".md says more.\n\nexamples:\n";
  for (const char *example : help->examples)
    text += std::string("  assay verify ") + example + "\n";
  return text;
}
