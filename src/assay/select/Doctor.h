/// What `assay doctor` says about the machine and the models on it.
#pragma once

#include "assay/support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace assay::select {

struct Finding {
  std::string group, name, value;
};

/// Processor, cores, instruction set, caches, memory.
std::vector<Finding> describeMachine();
/// NVIDIA's GPUs, or one finding `none` with the reason. `listFolder`: where the
/// driver's kernel module lists them.
std::vector<Finding>
findGpus(llvm::StringRef listFolder = "/proc/driver/nvidia/gpus");
/// The measured limits on 1, 2, 4, ... threads; a second or two.
std::vector<Finding> measureMachine();
/// Measures the speeds of register tiles, copies and caches that the analytic
/// choice goes by, and keeps them for this user; some seconds. Errors: those of
/// measureSpeeds and of writing
llvm::Expected<Finding> measureTiles();
/// The basis of the analytic choice.
Finding findSpeeds();
/// The model folders in the places where dispatch looks.
std::vector<Finding> findModels();

} // namespace assay::select
