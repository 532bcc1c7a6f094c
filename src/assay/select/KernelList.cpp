// A list of kernels is names and how many are of each kind; where they come from
// only the two functions that make one know.
#include "assay/select/KernelList.h"
#include "assay/select/spaces/Conv.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

/// Fills in names and parts; `partOf`: what a configuration is counted under.
template <typename Configs, typename Member>
static void fill(KernelList &list, const Configs &configs, Member partOf) {
  using Config = std::decay_t<decltype(*configs.begin())>;
  std::map<std::decay_t<decltype(std::declval<Config>().*partOf)>, int64_t>
      counts;
  for (const Config &config : configs) {
    list.names.push_back(config.name());
    ++counts[config.*partOf];
  }
  for (auto [part, count] : counts)
    list.parts.push_back(
        {std::string(toString(part)), std::string(describe(part)), count});
}

KernelList select::listKernels(Registry &registry, KernelKind kind,
                               std::optional<size_t> limit) {
  KernelList list{"gemm",
                  toString(kind.types),
                  toString(kind.layout),
                  registry.machine().isa.name,
                  {},
                  {},
                  limit};
  fill(list, registry.enumerate(kind.types, kind.layout), &GemmConfig::family);
  return list;
}

KernelList select::listKernels(const Registry &registry,
                               ConvDirection direction,
                               std::optional<size_t> limit) {
  KernelList list{toString(direction),
                  toString(DataType::F32),
                  kConvLayout,
                  registry.machine().isa.name,
                  {},
                  {},
                  limit};
  fill(list, convKernels(direction, registry.machine()),
       &ConvConfig::algorithm);
  return list;
}

size_t KernelList::shown(size_t otherwise) const {
  size_t most = limit.value_or(otherwise);
  return most > 0 ? std::min(names.size(), most) : names.size();
}

llvm::json::Value KernelList::toJson() const {
  return llvm::json::Object{
      {"isa", isa},
      {"op", op},
      {"dtype", dtype},
      {"layout", layout},
      {"count", names.size()},
      {"kernels",
       llvm::json::Array(llvm::ArrayRef(names).take_front(shown(0)))}};
}

void KernelList::print(llvm::raw_ostream &os, bool) const {
  os << names.size() << " kernels for " << op << " " << dtype << " " << layout
     << " on " << isa << "\n";
  for (const Part &part : parts)
    os << llvm::formatv("  {0,-13}{1,6}  {2}\n", part.name, part.count,
                        part.what);
  for (size_t i = 0; i < shown(20); ++i)
    os << i << " " << names[i] << "\n";
  if (size_t left = names.size() - shown(20))
    os << "... " << left << " more (--limit 0 shows all)\n";
}
