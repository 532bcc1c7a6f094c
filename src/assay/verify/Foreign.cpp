// An unknown word is looked up in three places, the most certain one first: the
// words of benchdnn and of oneDNN (Foreign.def), the knobs of other drivers,
// the words with a similar spelling.
#include "assay/verify/Foreign.h"
#include "assay/support/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::verify;

/// "u8s8f32" as "u8:s8:f32", "f32_wino" as "f32"; empty if the text is not a
/// list of types. These are the values of benchdnn's old knob --cfg.
static std::string typesOfConfiguration(llvm::StringRef value) {
  value.consume_front("conf_");
  value = value.take_until([](char c) { return c == '_' || c == ','; });
  std::string text;
  int count = 0;
  while (!value.empty()) {
    size_t length = value.find_first_of("0123456789");
    while (length < value.size() && llvm::isDigit(value[length]))
      ++length;
    llvm::StringRef type = value.take_front(length);
    if (!parseDataType(type))
      return {};
    text += (count++ ? ":" : "") + type.str();
    value = value.drop_front(type.size());
  }
  return count == 1 || count == 3 ? text : std::string();
}

/// A word of Foreign.def; success for others.
static llvm::Error foreignWord(llvm::StringRef name, llvm::StringRef value) {
  if (name == "cfg") {
    std::string types = typesOfConfiguration(value);
    return makeError(ErrorCode::Unsupported,
                     "'--cfg' is a knob of an older benchdnn; use --dt={0}",
                     types.empty() ? "SRC:WEI:DST" : types);
  }
#define ASSAY_FOREIGN_DRIVER(word, instead)                                    \
  if (name == word)                                                            \
    return makeError(ErrorCode::Unsupported,                                   \
                     "'--{0}' is a driver of benchdnn that Assay does not "    \
                     "have; {1}",                                              \
                     name, instead);
#define ASSAY_FOREIGN_KNOB(word, instead)                                      \
  if (name == word)                                                            \
    return makeError(ErrorCode::Unsupported,                                   \
                     "'--{0}' is a knob of benchdnn that Assay does not "      \
                     "have; {1}",                                              \
                     name, instead);
#define ASSAY_OTHER_NAME(word, driver)                                         \
  if (name == word)                                                            \
    return makeError(ErrorCode::InvalidArgument,                               \
                     "there is no driver '--{0}'; use --{1}", name, driver);
#include "assay/verify/Foreign.def"
  return llvm::Error::success();
}

/// The drivers that have a knob, for example for "axis" after --matmul, or
/// before any driver.
static std::string driversWith(llvm::StringRef name) {
  std::string drivers;
  for (const Driver *driver : allDrivers())
    if (llvm::any_of(driver->knobs,
                     [&](const OwnKnob &row) { return name == row.name; }))
      drivers += (drivers.empty() ? "--" : ", --") + std::string(driver->name);
  return drivers;
}

llvm::Error verify::unknownWord(llvm::StringRef name, llvm::StringRef value,
                                const Driver *driver,
                                llvm::ArrayRef<llvm::StringRef> known) {
  if (llvm::Error error = foreignWord(name, value))
    return error;
  if (std::string drivers = driversWith(name); !drivers.empty())
    return driver
               ? makeError(ErrorCode::InvalidArgument,
                           "driver --{0} has no knob '--{1}'; it is one of {2}",
                           driver->name, name, drivers)
               : makeError(ErrorCode::InvalidArgument,
                           "'--{0}' comes before a driver; it is a knob of "
                           "{1}: put it after that",
                           name, drivers);
  llvm::StringRef nearest = nearestName(name, known);
  if (nearest.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "unknown knob '--{0}'; `assay verify --help` lists them",
                     name);
  return makeError(ErrorCode::InvalidArgument,
                   "unknown knob '--{0}'; did you mean '--{1}'?", name,
                   nearest);
}
