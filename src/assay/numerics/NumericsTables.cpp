// A filter for tests: converts raw elements on standard input to raw elements
// on standard output with the library's own functions.
// test/python/test_formats.py runs it and compares the result with ml_dtypes
// and NumPy bit for bit.
//
//   numerics_tables convert FROM TO     elements of type FROM -> elements of
//                                       type TO (convertArray)
//   numerics_tables OP TYPE             add, sub, mul or div of pairs (a, b) of
//                                       a narrow float type
#include "assay/numerics/Convert.h"
#include "assay/numerics/Dispatch.h"

#include <cstdio>
#include <vector>

using namespace assay::numerics;

static std::vector<std::byte> readAll() {
  std::vector<std::byte> bytes(1 << 20);
  size_t used = 0;
  while (size_t got =
             std::fread(bytes.data() + used, 1, bytes.size() - used, stdin)) {
    used += got;
    if (used == bytes.size())
      bytes.resize(2 * bytes.size());
  }
  bytes.resize(used);
  return bytes;
}

static void write(const std::vector<std::byte> &bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

template <typename T> static T apply(char op, T a, T b) {
  switch (op) {
  case 'a':
    return a + b;
  case 's':
    return a - b;
  case 'm':
    return a * b;
  default:
    return a / b;
  }
}

static int arithmetic(char op, ElementType type) {
  std::vector<std::byte> input = readAll(), output(input.size() / 2);
  dispatch<NarrowFloatTypes>(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T *pairs = reinterpret_cast<const T *>(input.data());
    T *results = reinterpret_cast<T *>(output.data());
    for (size_t i = 0; i < output.size() / sizeof(T); ++i)
      results[i] = apply(op, pairs[2 * i], pairs[2 * i + 1]);
  });
  write(output);
  return 0;
}

int main(int argc, char **argv) {
  llvm::StringRef command = argc > 2 ? argv[1] : "";
  std::optional<ElementType> type =
      argc > 2 ? parseElementType(argv[2]) : std::nullopt;
  if (command == "convert" && argc == 4) {
    std::optional<ElementType> to = parseElementType(argv[3]);
    if (type && to) {
      std::vector<std::byte> input = readAll();
      auto n = static_cast<int64_t>(input.size()) / type->storageBytes();
      std::vector<std::byte> output(n * to->storageBytes());
      convertArray(*type, input.data(), *to, output.data(), n);
      write(output);
      return 0;
    }
  }
  bool known = command == "add" || command == "sub" || command == "mul" ||
               command == "div";
  if (known && argc == 3 && type && isOneOf(NarrowFloatTypes{}, *type))
    return arithmetic(command[0], *type);
  std::fprintf(stderr, "usage: numerics_tables convert FROM TO | "
                       "add|sub|mul|div TYPE   (raw elements on stdin)\n");
  return 2;
}
