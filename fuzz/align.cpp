// Fuzzes the names of dumps and their alignment: two dumps whose names are lines
// of the input, and a map of names after them. Whatever the names are, every
// tensor of both sides is in exactly one row, and a pair has its reason.
#include "assay/trace/Align.h"

#include <cstdio>
#include <cstdlib>

using namespace assay;
using namespace assay::trace;

/// One tensor a line: the name; its first byte gives the shape.
static std::vector<AlignItem> itemsOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<AlignItem> items;
  for (llvm::StringRef line : lines) {
    if (items.size() == 64)
      break;
    AlignItem item;
    item.name = parseDumpName(line.drop_front());
    auto first = static_cast<unsigned char>(line[0]);
    item.type = {numerics::ElementType::floating(numerics::FloatFormat::F16),
                 {first % 5, 1 + first / 32}};
    if (first % 3 == 0)
      item.hash = std::to_string(first);
    items.push_back(std::move(item));
  }
  return items;
}

static NameMap mapOf(llvm::StringRef text) {
  NameMap map;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', 8, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    auto [target, bench] = line.drop_front().split('=');
    std::optional<std::string> other = bench.str();
    if (bench.empty())
      other = std::nullopt;
    if (line[0] % 3 == 0 && other)
      map.prefixes.push_back({target.str(), *other});
    else
      (line[0] % 3 == 1 ? map.modules : map.tensors)[target] = other;
  }
  return map;
}

static void check(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

/// Each index once; both indices of a pair have the same step.
static void checkRows(const Alignment &alignment,
                      llvm::ArrayRef<AlignItem> target,
                      llvm::ArrayRef<AlignItem> bench) {
  std::vector<int> seenTarget(target.size()), seenBench(bench.size());
  for (const AlignedPair &pair : alignment.pairs) {
    check(pair.target >= 0 || pair.bench >= 0, "a row of nothing");
    if (pair.target >= 0)
      check(++seenTarget[static_cast<size_t>(pair.target)] == 1,
            "a target twice");
    if (pair.bench >= 0)
      check(++seenBench[static_cast<size_t>(pair.bench)] == 1, "a bench twice");
    check((pair.target >= 0 && pair.bench >= 0) == !pair.how.empty(),
          "a pair without its reason");
    check(pair.confidence >= 0 && pair.confidence <= 1, "confidence");
  }
  for (const std::vector<int> *seen : {&seenTarget, &seenBench})
    for (int count : *seen)
      check(count == 1, "a tensor in no row");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto [first, rest] = text.split('\f');
  auto [second, third] = rest.split('\f');
  std::vector<AlignItem> target = itemsOf(first), bench = itemsOf(second);
  checkRows(alignNames(target, bench, mapOf(third)), target, bench);
  checkRows(alignNames(target, target), target, target);
  return 0;
}
