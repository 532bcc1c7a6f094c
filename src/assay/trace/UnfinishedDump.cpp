// Commands that make a dump (import, merge) write to a temporary name and
// rename it.
#include "assay/trace/UnfinishedDump.h"
#include "llvm/Support/FileSystem.h"

namespace assay::trace {

static constexpr llvm::StringLiteral kEnding = ".unfinished";

llvm::Expected<UnfinishedDump> UnfinishedDump::create(const std::string &path,
                                                      DumpOptions options) {
  UnfinishedDump dump;
  dump.path_ = path;
  llvm::Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(path + kEnding.str(), std::move(options));
  if (!writer)
    return writer.takeError();
  dump.writer_ = std::move(*writer);
  return dump;
}

UnfinishedDump::~UnfinishedDump() {
  if (!writer_)
    return;
  llvm::consumeError(writer_->close().takeError());
  (void)llvm::sys::fs::remove(path_ + kEnding.str());
}

llvm::Error UnfinishedDump::finish() {
  if (llvm::Error error = writer_->close().takeError())
    return error;
  std::string unfinished = path_ + kEnding.str();
  if (std::error_code code = llvm::sys::fs::rename(unfinished, path_))
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     path_, code.message());
  writer_.reset();
  return llvm::Error::success();
}

} // namespace assay::trace
