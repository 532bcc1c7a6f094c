/// What `assay doctor` says about the machine and the models on it.
#pragma once

#include <string>
#include <vector>

namespace assay::select {

struct Finding {
  std::string group, name, value;
};

/// Processor, cores, instruction set, caches, memory.
std::vector<Finding> describeMachine();
/// The measured limits on 1, 2, 4, ... threads; a second or two.
std::vector<Finding> measureMachine();
/// The model folders in the places where dispatch looks.
std::vector<Finding> findModels();

} // namespace assay::select
