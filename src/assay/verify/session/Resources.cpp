#include "assay/verify/session/Resources.h"
#include "assay/engine/Registry.h"
#include "assay/support/MemorySize.h"

using namespace assay;
using namespace assay::verify;

Resources::Resources(SessionOptions options)
    : options_(std::move(options)), pool_(options_.threads) {
  if (!options_.memoryLimitBytes)
    options_.memoryLimitBytes = defaultMemoryBytes();
}

std::string verify::sizeText(double bytes) {
  return bytes < 0x1p10   ? llvm::formatv("{0:f0} bytes", bytes).str()
         : bytes < 0x1p20 ? llvm::formatv("{0:f1} KiB", bytes / 0x1p10).str()
         : bytes < 0x1p30 ? llvm::formatv("{0:f1} MiB", bytes / 0x1p20).str()
                          : llvm::formatv("{0:f1} GiB", bytes / 0x1p30).str();
}

llvm::Error Resources::makeReady(double bytes) {
  auto limit = static_cast<double>(options_.memoryLimitBytes);
  if (bytes > limit)
    return makeError(ErrorCode::ResourceLimit,
                     "needs about {0}, the limit is {1} (--max-memory)",
                     sizeText(bytes), sizeText(limit));
  if (arena_)
    return llvm::Error::success();
  llvm::Expected<engine::Arena> arena =
      engine::Arena::create(machineMemoryBytes());
  if (!arena)
    return arena.takeError();
  if (llvm::Error error = arena->grow(engine::kPageBytes))
    return error;
  arena_ = std::move(*arena);
  return llvm::Error::success();
}

llvm::Expected<engine::Worker *>
Resources::worker(const std::string &engineName, const RunOptions &run) {
  auto found = workers_.find(engineName);
  if (found != workers_.end()) {
    found->second->setTimeout(run.timeoutSeconds);
    return found->second.get();
  }
  llvm::Expected<std::string> module =
      engine::resolveEngine(llvm::StringRef(engineName).rtrim());
  if (!module)
    return module.takeError();
  engine::WorkerOptions options;
  options.program = options_.workerProgram;
  options.module = *module;
  options.memoryLimitBytes = options_.memoryLimitBytes;
  options.timeoutSeconds = run.timeoutSeconds;
  options.performance = run.mode == Mode::Performance;
  return (workers_[engineName] =
              std::make_unique<engine::Worker>(*arena_, options))
      .get();
}

void Resources::giveMemoryBack() {
  if (arena_->sizeBytes() <=
      std::min(options_.memoryLimitBytes / 3, int64_t(4) << 30))
    return;
  workers_.clear();
  arena_->shrink(engine::kPageBytes);
}

float *Resources::floats(size_t tensor, int64_t count) {
  floats_.resize(std::max(floats_.size(), tensor + 1));
  floats_[tensor].resize(static_cast<size_t>(count));
  return floats_[tensor].data();
}
