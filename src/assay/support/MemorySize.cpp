// Sizes of memory.
#include "assay/support/MemorySize.h"

#include <fstream>
#include <string>
#include <unistd.h>

namespace assay {

int64_t machineMemoryBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

int64_t availableMemoryBytes() {
  std::ifstream file("/proc/meminfo"); // lines as "MemAvailable:  1234 kB"
  std::string name;
  for (int64_t kilobytes; file >> name >> kilobytes; std::getline(file, name))
    if (name == "MemAvailable:")
      return kilobytes * 1024;
  return machineMemoryBytes();
}

int64_t defaultMemoryBytes() { return machineMemoryBytes() / 10 * 8; }

llvm::Expected<int64_t> parseSize(llvm::StringRef text) {
  llvm::StringRef number = text;
  int shift = 0;
  if (!number.consume_back_insensitive("iB"))
    number.consume_back_insensitive("B");
  for (auto [letter, bits] :
       {std::pair("k", 10), {"m", 20}, {"g", 30}, {"t", 40}})
    if (number.consume_back_insensitive(letter)) {
      shift = bits;
      break;
    }
  double value;
  if (number.getAsDouble(value) || !(value > 0) ||
      value * static_cast<double>(int64_t{1} << shift) > 9e18)
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a size such as 500M or 4G", text);
  return static_cast<int64_t>(value * static_cast<double>(int64_t{1} << shift));
}

} // namespace assay
