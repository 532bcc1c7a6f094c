// A list of kernels holds their names and the number of each kind.
#include "assay/select/KernelList.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace assay;
using namespace assay::select;

KernelList select::listKernels(const KernelSet &set,
                               std::optional<size_t> limit) {
  KernelList list{set.op(), set.dtype(), set.layout(),
                  set.machine().isa.name, {}, {}, limit};
  std::map<int, KernelList::Part> parts;
  for (size_t i = 0; i < set.size(); ++i) {
    auto kernel = static_cast<int32_t>(i);
    list.names.push_back(set.nameOf(kernel));
    KernelSet::Part part = set.partOf(kernel);
    ++parts.try_emplace(part.order, KernelList::Part{part.name, part.what})
          .first->second.count;
  }
  for (auto &[order, part] : parts)
    list.parts.push_back(std::move(part));
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
