// Which files of a dump are programs, of which module, and in which order: XLA
// numbers them in their names, a file of MLIR's holds one program after each
// heading, other files are taken in the order of their names, numbers as numbers.
#include "assay/judge/equivalence/PassDump.h"
#include "assay/program/Program.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <map>

using namespace assay;
using namespace assay::judge;

/// a2 before a10.
static bool naturallyLess(llvm::StringRef a, llvm::StringRef b) {
  while (!a.empty() && !b.empty()) {
    if (llvm::isDigit(a[0]) && llvm::isDigit(b[0])) {
      llvm::StringRef x = a.take_while(llvm::isDigit),
                      y = b.take_while(llvm::isDigit);
      a = a.drop_front(x.size());
      b = b.drop_front(y.size());
      x = x.ltrim('0');
      y = y.ltrim('0');
      if (x.size() != y.size())
        return x.size() < y.size();
      if (x != y)
        return x < y;
      continue;
    }
    if (a[0] != b[0])
      return a[0] < b[0];
    a = a.drop_front();
    b = b.drop_front();
  }
  return a.size() < b.size();
}

static llvm::Error collect(llvm::StringRef path,
                           std::vector<std::string> &files) {
  if (!llvm::sys::fs::is_directory(path)) {
    files.push_back(path.str());
    return llvm::Error::success();
  }
  std::error_code error;
  std::vector<std::string> found;
  for (llvm::sys::fs::recursive_directory_iterator it(path, error), end;
       it != end && !error; it.increment(error))
    if (llvm::sys::fs::is_regular_file(it->path()))
      found.push_back(it->path());
  if (error)
    return makeError(ErrorCode::NotFound, "cannot list '{0}': {1}", path,
                     error.message());
  llvm::sort(found, naturallyLess);
  files.insert(files.end(), found.begin(), found.end());
  return llvm::Error::success();
}

namespace {
/// The parts of an XLA file's name.
struct XlaName {
  std::string group, pass;
  int64_t order;
};
} // namespace

static std::optional<XlaName> xlaName(llvm::StringRef file) {
  static const llvm::Regex numbered(
      "^(.*)\\.([0-9][0-9][0-9][0-9])\\.(.*)\\.(txt|mlir)$"),
      before("^(.*)\\.before_optimizations\\.(txt|mlir)$"),
      after("^(.*)\\.([a-z0-9_]*after_optimizations)\\.(txt|mlir)$");
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef name = llvm::sys::path::filename(file);
  if (!name.starts_with("module_"))
    return std::nullopt;
  if (before.match(name, &parts))
    return XlaName{parts[1].str(), "before optimizations", -1};
  if (after.match(name, &parts))
    return XlaName{parts[1].str(), parts[2].str(), int64_t{1} << 40};
  if (!numbered.match(name, &parts))
    return std::nullopt;
  int64_t order = 0;
  parts[2].getAsInteger(10, order);
  // simplification.after_algsimp.before_dce: the pass is the one before.
  llvm::StringRef pass = parts[3].split(".before_").first;
  return XlaName{parts[1].str(), pass.str(), order};
}

/// The programs after the headings of MLIR's printer; none: the text has no heading.
static std::vector<PassProgram> splitAtHeadings(llvm::StringRef text,
                                                llvm::StringRef file) {
  std::vector<PassProgram> found;
  int64_t line = 0;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    ++line;
    text = rest;
    llvm::StringRef heading = first.trim();
    if (!heading.consume_front("// -----// IR Dump ")) {
      if (!found.empty())
        found.back().text += first.str() + "\n";
      continue;
    }
    heading = heading.split(" //-----").first;
    PassProgram program;
    program.pass = heading.str();
    llvm::StringRef anchor = heading.split("operation: @").second;
    program.group = anchor.take_until([](char c) { return c == ')'; }).str();
    program.file = (file + ":" + llvm::Twine(line)).str();
    found.push_back(std::move(program));
  }
  return found;
}

llvm::Expected<PassDump>
judge::readPassDump(llvm::ArrayRef<std::string> paths) {
  std::vector<std::string> files;
  for (const std::string &path : paths)
    if (llvm::Error error = collect(path, files))
      return error;
  PassDump dump;
  std::vector<std::pair<int64_t, PassProgram>> found;
  std::map<std::string, size_t> groups; // in the order of their first file
  for (const std::string &file : files) {
    llvm::StringRef extension = llvm::sys::path::extension(file);
    std::optional<XlaName> xla = xlaName(file);
    bool isText = extension == ".txt" || extension == ".hlo";
    if ((isText && !xla && files.size() > 1) ||
        (!isText && extension != ".mlir" && extension != ".mlirbc" &&
         files.size() > 1)) {
      dump.others.push_back(file);
      continue;
    }
    llvm::Expected<std::string> text = program::readFile(file);
    if (!text)
      return text.takeError();
    PassProgram program{"", llvm::sys::path::stem(file).str(), file, *text,
                        isText && llvm::StringRef(*text).contains("HloModule")};
    if (!xla && !llvm::is_contained(paths, file)) // named files are one group
      program.group = llvm::sys::path::parent_path(file).str();
    int64_t order = static_cast<int64_t>(found.size());
    std::vector<PassProgram> parts;
    if (xla) {
      program.group = xla->group;
      program.pass = xla->pass;
      order = xla->order;
    } else {
      parts = splitAtHeadings(*text, file);
    }
    if (parts.size() == 1 && files.size() > 1) // a file of a tree
      parts[0].group = program.group;
    if (parts.empty())
      parts.push_back(std::move(program));
    for (PassProgram &part : parts) {
      groups.emplace(part.group, groups.size());
      found.emplace_back(order, std::move(part));
    }
  }
  llvm::stable_sort(found, [&](const auto &x, const auto &y) {
    size_t a = groups[x.second.group], b = groups[y.second.group];
    return a != b ? a < b : x.first < y.first;
  });
  for (auto &[order, program] : found)
    dump.programs.push_back(std::move(program));
  return dump;
}
