// Findings about the machine, each as a line of text.
#include "assay/select/Doctor.h"
#include "assay/kernels/Peaks.h"
#include "assay/kernels/TileSpeeds.h"
#include "assay/select/Features.h"
#include "assay/select/LearnedSelector.h"
#include "assay/select/ModelSurvey.h"
#include "assay/support/MemorySize.h"
#include "assay/support/UserFolder.h"

#include "llvm/Support/Path.h"

#include <chrono>

using namespace assay;
using namespace assay::select;
using kernels::Machine;

static std::string bytes(int64_t size) {
  if (size >= int64_t{1} << 30)
    return llvm::formatv("{0:F1} GiB",
                         static_cast<double>(size) / (int64_t{1} << 30))
        .str();
  return size >= 1 << 20 ? llvm::formatv("{0} MiB", size >> 20).str()
                         : llvm::formatv("{0} KiB", size >> 10).str();
}

std::vector<Finding> select::describeMachine() {
  Machine machine = Machine::detect();
  const auto &caches = machine.caches;
  return {
      {"processor", "name", machine.processor + " (" + machine.isa.cpu + ")"},
      {"processor", "cores", std::to_string(machine.cores)},
      {"processor", "instruction set", machine.isa.name},
      {"processor", "caches",
       "L1 " + bytes(caches.l1) + ", L2 " + bytes(caches.l2) + ", L3 " +
           bytes(caches.l3) +
           (caches.l3 > kGreatestL3
                ? " (as " + bytes(kGreatestL3) + " in classes of machines)"
                : "")},
      {"processor", "memory", bytes(machineMemoryBytes())}};
}

std::vector<Finding> select::measureMachine() {
  std::vector<Finding> found;
  Machine machine = Machine::detect();
  ThreadPool pool(machine.cores);
  kernels::Registry registry;
  for (int threads = 1; threads <= machine.cores; threads *= 2) {
    std::string suffix =
        llvm::formatv(", {0} {1}", threads, threads == 1 ? "thread" : "threads")
            .str();
    llvm::Expected<double> gflops = kernels::measureGflops(
        registry, {kernels::DataType::F32, kernels::DataType::F32}, threads,
        pool);
    found.push_back({"measured", "f32 multiply-add" + suffix,
                     gflops ? llvm::formatv("{0:F0} GFLOP/s", *gflops).str()
                            : takeError(gflops.takeError()).message});
    found.push_back(
        {"measured", "memory read" + suffix,
         llvm::formatv(
             "{0:F1} GB/s",
             kernels::measureBandwidth(
                 threads, kernels::megabytesBeyondCaches(machine), pool))});
  }
  return found;
}

llvm::Expected<Finding> select::measureTiles() {
  kernels::Registry registry;
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<kernels::TileSpeeds> speeds = kernels::measureSpeeds(registry);
  if (!speeds)
    return speeds.takeError();
  std::string path = kernels::speedsPath(registry.machine());
  if (path.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "neither XDG_DATA_HOME nor HOME is set: nowhere to keep "
                     "what was measured");
  if (llvm::Error error = kernels::saveSpeeds(*speeds, path))
    return error;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return Finding{
      "analytic choice", "measured",
      llvm::formatv("{0} register tiles in {1:F1} s, kept in '{2}'; "
                    "beyond the second level {3:F0}, in it {4:F0}, copies "
                    "{5:F0} and {6:F0} bytes a nanosecond",
                    speeds->stepNs.size(), took.count(), path, speeds->beyond,
                    speeds->l2, speeds->packAlong, speeds->packAcross)
          .str()};
}

Finding select::findSpeeds() {
  Machine machine = Machine::detect();
  if (kernels::measuredSpeeds(machine)) {
    std::string path = kernels::speedsInUse(machine);
    bool own = path == kernels::speedsPath(machine);
    return {"analytic choice", "speeds",
            own ? "measured here: " + path
                : "of this class of machines: " + path +
                      "; `assay doctor --measure` measures those of this one"};
  }
  return {
      "analytic choice", "speeds",
      "assumed; `assay doctor --measure` measures them once (some seconds)"};
}

/// How dispatch uses a model: "serves f32 rcr, threads 1,2", ...
static std::string standing(const FoundModel &model) {
  if (!model.serves)
    return "not used: " + model.why;
  std::string text =
      "serves " + ModelKind(model.op, model.dtype, model.layout).text() +
      ", threads ";
  for (size_t i = 0; i < model.threads.size(); ++i)
    text += (i ? "," : "") + std::to_string(model.threads[i]);
  return text + (model.why.empty() ? "" : "; it " + model.why);
}

std::vector<Finding> select::findModels() {
  std::vector<Finding> found;
  kernels::Registry registry;
  for (const FoundModel &model : surveyModels(registry, modelFolders())) {
    std::string name = llvm::sys::path::filename(model.folder).str();
    found.push_back({"model", name, model.folder});
    found.push_back({"model", name, standing(model)});
  }
  if (found.empty())
    found.push_back({"model", "none",
                     "kernels are chosen by the analytic cost model; `assay "
                     "tune auto` makes a model"});
  return found;
}
