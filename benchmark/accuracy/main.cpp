// `./dev bench accuracy`: compares every transcendental function of the
// reference with correctly rounded results (no times). f32: every 1009th code,
// or all of them with --all (about 40 minutes on two cores). bf16 and f16: all
// codes. f64 and complex numbers: samples. Exit code 1: a function exceeds the
// error that Assay promises: for f32 and narrower types 1 ULP, f64 2 ULP,
// complex<f32> 3 ULP per part, complex<f64> 4 eps of the modulus; NaN and signs
// of zero exact.
#include "Measure.h"
#include "assay/support/Table.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace assay;
using namespace assay::accuracy;
using numerics::FloatFormat;

namespace {
struct Options {
  uint64_t stride = 1009;
  int64_t samples = 20000;
  int threads = 1;
  std::string only, write;
};
/// One function in one type.
struct Line {
  std::string op, type;
  Errors errors;
  bool kept; ///< within the promised error
};
} // namespace

static bool isKept(const std::string &type, const Errors &errors) {
  if (errors.special > 0)
    return false;
  if (type == "complex<f64>")
    return errors.modulus <= 4;
  return errors.ulps <= (type == "f64" ? 2 : type == "complex<f32>" ? 3 : 1);
}

/// Adds every line as it is measured; returns false if a type has no loop.
static void add(std::vector<Line> &lines, const std::string &op,
                const std::string &type, llvm::Expected<Errors> errors) {
  if (!errors) {
    llvm::errs() << op << ": " << llvm::toString(errors.takeError()) << "\n";
    return;
  }
  lines.push_back({op, type, *errors, isKept(type, *errors)});
  llvm::errs() << llvm::formatv(
      "{0} {1}: {2} inputs, largest distance {3} ULP{4}\n", op, type,
      errors->inputs, errors->ulps, lines.back().kept ? "" : "  <- beyond");
}

static std::vector<Line> measure(const Options &options) {
  std::vector<Line> lines;
  auto wanted = [&](const std::string &op) {
    return op.find(options.only) != std::string::npos;
  };
  for (const RealFunction &row : realFunctions()) {
    if (!wanted(row.op))
      continue;
    for (FloatFormat format :
         {FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32}) {
      ElementType type = ElementType::floating(format);
      add(lines, row.op, numerics::toString(type),
          measureCodes(row, type, type.bits == 32 ? options.stride : 1,
                       options.threads));
    }
    add(lines, row.op, "f64", measureDouble(row, options.samples));
  }
  for (const ComplexFunction &row : complexFunctions())
    for (FloatFormat part : {FloatFormat::F32, FloatFormat::F64})
      if (wanted(row.op)) {
        ElementType type = ElementType::complex(part);
        add(lines, row.op, numerics::toString(type),
            measureComplex(row, type, options.samples));
      }
  return lines;
}

static std::vector<std::string> cells(const Line &line) {
  const Errors &e = line.errors;
  bool complex = llvm::StringRef(line.type).starts_with("complex");
  return {line.op,
          line.type,
          std::to_string(e.inputs),
          llvm::formatv("{0:P4}", double(e.notRounded) /
                                      double(std::max<int64_t>(1, e.inputs))),
          std::to_string(e.ulps),
          complex ? llvm::formatv("{0:f2}", e.modulus).str() : "",
          std::to_string(e.special),
          e.at};
}

static const std::vector<std::string> kTitles = {
    "function", "type",           "inputs",  "not rounded right",
    "ULP",      "eps of modulus", "special", "at"};

static void print(const std::vector<Line> &lines) {
  std::vector<Table::Column> columns;
  for (const std::string &title : kTitles)
    columns.push_back({title, Table::Align::Right});
  Table table(columns);
  for (const Line &line : lines)
    table.addRow(cells(line));
  table.print(llvm::outs());
}

static bool writePage(const std::string &path, const std::vector<Line> &lines) {
  std::error_code failed;
  llvm::raw_fd_ostream os(path, failed);
  if (failed) {
    llvm::errs() << "error: cannot write " << path << ": " << failed.message()
                 << "\n";
    return false;
  }
  os << "| " << llvm::join(kTitles, " | ") << " |\n|";
  for (size_t i = 0; i < kTitles.size(); ++i)
    os << "---|";
  os << "\n";
  for (const Line &line : lines)
    os << "| " << llvm::join(cells(line), " | ") << " |\n";
  return true;
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    bool value = i + 1 < argc;
    if (word == "--all")
      options.stride = 1;
    else if (word == "--only" && value)
      options.only = argv[++i];
    else if (word == "--samples" && value)
      options.samples = std::max(1, std::atoi(argv[++i]));
    else if (word == "--threads" && value)
      options.threads = std::max(1, std::atoi(argv[++i]));
    else if (word == "--write" && value)
      options.write = argv[++i];
    else {
      llvm::errs() << "usage: bench_accuracy [--all] [--only NAME] "
                      "[--samples N] [--threads N] [--write FILE.md]\n";
      return 2;
    }
  }
  std::vector<Line> lines = measure(options);
  print(lines);
  if (!options.write.empty() && !writePage(options.write, lines))
    return 3;
  auto beyond = llvm::count_if(lines, [](const Line &l) { return !l.kept; });
  llvm::outs() << llvm::formatv("bench accuracy: {0} of {1} as promised\n",
                                lines.size() - beyond, lines.size());
  return beyond || lines.empty() ? 1 : 0;
}
