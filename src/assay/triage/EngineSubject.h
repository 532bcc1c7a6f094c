/// An engine under test (judge/reduce/Subject.h). Its programs run in a worker
/// process, so that a crash or a hang is an ending like any other.
#pragma once

#include "assay/engine/Engine.h"
#include "assay/judge/reduce/Subject.h"
#include "assay/support/ThreadPool.h"

namespace assay::triage {

class EngineSubject final : public judge::Subject {
public:
  /// `name`: as users write it. `timeoutSeconds`: a run that takes longer
  /// counts as hanging. Errors: those of makeEngine.
  static llvm::Expected<std::unique_ptr<EngineSubject>>
  create(llvm::StringRef name, int threads, double timeoutSeconds);

  std::string name() const override { return "engine " + name_; }
  judge::SubjectRun run(std::shared_ptr<const program::Program> program,
                        llvm::ArrayRef<tensor::Tensor> inputs) override;

private:
  EngineSubject(std::string name, std::unique_ptr<engine::Engine> engine,
                int threads)
      : name_(std::move(name)), engine_(std::move(engine)), pool_(threads) {}
  judge::SubjectRun failed(llvm::Error error) const;

  std::string name_;
  std::unique_ptr<engine::Engine> engine_;
  ThreadPool pool_;
};

} // namespace assay::triage
