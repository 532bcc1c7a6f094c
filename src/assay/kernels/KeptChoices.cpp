// The file begins with its identity, so that a collision of file names is seen;
// each line after that is a problem with all its fields, a tab, and the name of a
// configuration. Lines are appended with one write each: processes that choose at
// the same time leave whole lines, and the last one of equal problems counts.
#include "assay/kernels/KeptChoices.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <bit>

namespace assay::kernels {

/// Every field: two problems that differ have different texts.
static std::string textOf(const GemmProblem &p) {
  std::string text = std::string(toString(p.a)) + " " + toString(p.b) + " " +
                     toString(p.acc) + " " + toString(p.c);
  for (int64_t value :
       {p.m, p.n, p.k, p.batch, p.aStrides.row, p.aStrides.column,
        p.aStrides.batch, p.bStrides.row, p.bStrides.column, p.bStrides.batch,
        p.cStrides.row, p.cStrides.column, p.cStrides.batch,
        int64_t(p.bias), int64_t(p.scale), int64_t(p.activation),
        int64_t(p.threads)})
    text += " " + std::to_string(value);
  for (double factor : {p.alpha, p.beta})
    text += " " + std::to_string(std::bit_cast<uint64_t>(factor));
  return text;
}

KeptChoices::KeptChoices(const std::string &folder, const std::string &identity)
    : identity_("assay choices 1 " + identity) {
  llvm::SmallString<128> path(folder);
  if (folder.empty() || identity.empty())
    return;
  llvm::sys::path::append(
      path, llvm::formatv("{0:x-16}.choices", llvm::xxh3_64bits(identity_))
                .str());
  path_ = path.str().str();
}

void KeptChoices::read() {
  if (std::exchange(isRead_, true) || path_.empty())
    return;
  auto file = llvm::MemoryBuffer::getFile(path_);
  if (!file)
    return;
  auto [head, rest] = (*file)->getBuffer().split('\n');
  if (head != identity_) { // a collision, or a file of someone else
    path_.clear();
    return;
  }
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    auto [problem, name] = line.split('\t');
    names_[problem] = name.str();
  }
}

std::optional<GemmConfig> KeptChoices::find(const GemmProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  read();
  auto found = names_.find(textOf(problem));
  if (found == names_.end())
    return std::nullopt;
  llvm::Expected<GemmConfig> config = parseConfig(found->second);
  if (config)
    return *config;
  llvm::consumeError(config.takeError());
  return std::nullopt;
}

void KeptChoices::add(const GemmProblem &problem, const GemmConfig &config) {
  std::lock_guard<std::mutex> lock(mutex_);
  read();
  std::string text = textOf(problem), line = text + "\t" + config.name() + "\n";
  names_[text] = config.name();
  if (path_.empty() || llvm::sys::fs::create_directories(
                           llvm::sys::path::parent_path(path_)))
    return;
  if (!llvm::sys::fs::exists(path_))
    line = identity_ + "\n" + line;
  std::error_code code;
  llvm::raw_fd_ostream file(path_, code, llvm::sys::fs::CD_OpenAlways,
                            llvm::sys::fs::FA_Write, llvm::sys::fs::OF_Append);
  if (code)
    return;
  file.SetUnbuffered();
  file << line;
  file.close();
  if (file.has_error())
    file.clear_error();
}

} // namespace assay::kernels
