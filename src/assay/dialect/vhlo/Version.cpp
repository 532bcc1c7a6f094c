// Versions as text, and the bytecode version that belongs to each. Source: the
// version log of VhloDialect.td of openxla/stablehlo.
#include "assay/dialect/vhlo/Version.h"

#include "llvm/ADT/SmallVector.h"

namespace assay::vhlo {

std::optional<Version> Version::parse(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, '.');
  Version version{};
  if (words.size() < 2 || words.size() > 3)
    return std::nullopt;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].getAsInteger(10, version.parts[i]))
      return std::nullopt;
  return version;
}

std::string Version::text() const {
  return std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." +
         std::to_string(parts[2]);
}

int64_t Version::bytecodeVersion() const {
  if (*this < Version{{0, 10, 0}})
    return 0;
  if (*this < Version{{0, 12, 0}})
    return 1;
  if (*this < Version{{0, 14, 0}})
    return 3;
  return *this < Version{{0, 15, 0}} ? 4 : 6;
}

} // namespace assay::vhlo
