// The file begins with its identity, so that a collision of file names is
// noticed. Each further line is a problem with all its fields, a tab, and the
// name of a configuration. Each line is appended with one write, so that
// processes that choose at the same time write whole lines. Of equal problems
// the last line counts.
#include "assay/kernels/KeptChoices.h"
#include "assay/support/RecordFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <bit>

namespace assay::kernels {

/// Every field: two different problems have different texts.
static std::string textOf(const GemmProblem &p) {
  std::string text = std::string(toString(p.a)) + " " + toString(p.b) + " " +
                     toString(p.acc) + " " + toString(p.c);
  for (int64_t value :
       {p.m, p.n, p.k, p.batch, p.aStrides.row, p.aStrides.column,
        p.aStrides.batch, p.bStrides.row, p.bStrides.column, p.bStrides.batch,
        p.cStrides.row, p.cStrides.column, p.cStrides.batch, int64_t(p.bias),
        int64_t(p.scale), int64_t(p.activation), int64_t(p.threads)})
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
      path,
      llvm::formatv("{0:x-16}.choices", llvm::xxh3_64bits(identity_)).str());
  path_ = path.str().str();
}

void KeptChoices::read() {
  if (std::exchange(isRead_, true) || path_.empty())
    return;
  llvm::Expected<std::string> text = readRecords(path_);
  if (!text) {
    llvm::consumeError(text.takeError());
    return;
  }
  auto [head, choices] = llvm::StringRef(*text).split('\n');
  if (!text->empty() && head != identity_) { // a collision, or another's file
    path_.clear();
    return;
  }
  forEachRecord(choices, [&](llvm::StringRef line, int64_t) {
    auto [problem, name] = line.split('\t');
    names_[problem] = name.str();
    return true;
  });
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
  std::string text = textOf(problem);
  names_[text] = config.name();
  if (path_.empty() ||
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path_)))
    return;
  llvm::Expected<std::unique_ptr<RecordFile>> file =
      RecordFile::open(path_, RecordFile::Writers::Anybody);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  if ((*file)->isEmpty())
    llvm::consumeError((*file)->append(identity_));
  llvm::consumeError((*file)->append(text + "\t" + config.name()));
}

} // namespace assay::kernels
