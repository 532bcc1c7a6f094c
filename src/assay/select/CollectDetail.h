/// What collections by one process and by several have in common. Private to
/// CollectRun.cpp and CollectRanks.cpp.
#pragma once

#include "assay/select/CollectRun.h"
#include "assay/select/DataFile.h"

#include <chrono>

namespace assay::select {

struct CollectTask {
  ProblemRef problem;
  std::string key;
};

/// The problems of the options in random order, each once.
std::vector<CollectTask> collectTasks(const CollectOptions &options);

/// Makes the measurements of a problem that the file lacks and returns its line
/// for the progress report. Errors: those of race and of writing.
llvm::Expected<std::string> measureTask(KernelSet &set, ThreadPool &pool,
                                        const CollectOptions &options,
                                        const CollectTask &task, DataFile &file,
                                        const Interrupt &interrupt);

/// Opens the options' data file. Errors: those of DataFile::open; a missing
/// library.
llvm::Expected<std::unique_ptr<DataFile>>
openData(KernelSet &set, const CollectOptions &options,
         DataFileAccess access = {});

/// Ends the file and fills the report from it. Errors: those of finish(), or
/// the reason for the stop if the run was stopped.
llvm::Error finishData(DataFile &file, CollectReport &report);

class CollectClock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

} // namespace assay::select
