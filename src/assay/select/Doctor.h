/// Findings of `assay doctor` about the machine and the models on it.
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
/// NVIDIA's GPUs, or one finding `none` with the reason. `listFolder`: where
/// the driver's kernel module lists the GPUs.
std::vector<Finding>
findGpus(llvm::StringRef listFolder = "/proc/driver/nvidia/gpus");
/// Measures limits of the machine on 1, 2, 4, ... threads; takes a second or
/// two.
std::vector<Finding> measureMachine();
/// Measures the speeds of register tiles, copies and caches that the analytic
/// choice uses, and stores them for this user; takes some seconds. Errors:
/// those of measureSpeeds and of writing
llvm::Expected<Finding> measureTiles();
/// Where the speeds come from that the analytic choice uses.
Finding findSpeeds();
/// The model folders in the places that dispatch searches.
std::vector<Finding> findModels();

} // namespace assay::select
