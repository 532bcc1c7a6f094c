// Reads the output of rocminfo: one agent after the other, each with "Key:
// value" lines; sizes are written as "32(0x20) KB". Source: the form that CK
// Tile's data pipeline reads.
#include "assay/select/RocmInfo.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace assay;
using namespace assay::select;

/// rocminfo's name of a field; empty if it has none.
static llvm::StringRef nameThere(llvm::StringRef field) {
  return llvm::StringSwitch<llvm::StringRef>(field)
      .Case("num_cus", "Compute Unit")
      .Case("simds_per_cu", "SIMDs per CU")
      .Case("shader_engines", "Shader Engines")
      .Case("max_clock_mhz", "Max Clock Freq. (MHz)")
      .Case("max_waves_per_cu", "Max Waves Per CU")
      .Case("wavefront_size", "Wavefront Size")
      .Case("l1_cache_kb", "L1")
      .Case("l2_cache_kb", "L2")
      .Case("l3_cache_kb", "L3")
      .Default("");
}

/// The lines of the first agent that is a GPU.
static llvm::StringMap<std::string> firstGpu(llvm::StringRef text) {
  llvm::StringMap<std::string> agent;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.starts_with("Agent ")) {
      if (agent.lookup("Device Type") == "GPU")
        break;
      agent.clear();
      continue;
    }
    auto [key, value] = line.split(':');
    agent.try_emplace(key.trim(), value.trim().str());
  }
  if (agent.lookup("Device Type") != "GPU")
    agent.clear();
  return agent;
}

llvm::Expected<CkHardware> select::parseRocmInfo(llvm::StringRef text,
                                                   llvm::StringRef arch) {
  llvm::StringMap<std::string> gpu = firstGpu(text);
  if (gpu.empty())
    return makeError(ErrorCode::NotFound,
                     "--capture_hw: rocminfo names no GPU of this node");
  if (std::string name = gpu.lookup("Name"); name != arch)
    return makeError(ErrorCode::InvalidArgument,
                     "--capture_hw: this node's GPU is '{0}', --arch is '{1}'; "
                     "convert on a node with {1}, or leave the flag out",
                     name, arch);
  CkHardware hardware = CkHardware::of(arch);
  for (auto [name, field] : hardware.fields()) {
    std::string value = gpu.lookup(nameThere(name));
    double number = 0;
    if (!llvm::StringRef(value)
             .take_while([](char c) { return llvm::isDigit(c); })
             .getAsDouble(number))
      *field = number;
  }
  return hardware;
}

llvm::Expected<CkHardware> select::captureHardware(llvm::StringRef arch) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("rocminfo");
  if (!program)
    return makeError(ErrorCode::Unsupported,
                     "--capture_hw reads this node's GPU by rocminfo, which is "
                     "not here; convert on the GPU's node, or leave the flag "
                     "out: features then use the profile of --arch");
  llvm::SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("rocminfo", "txt", path))
    return makeError(ErrorCode::Internal, "cannot make a temporary file: {0}",
                     code.message());
  llvm::FileRemover remover(path);
  std::optional<llvm::StringRef> redirects[] = {"", path.str(), ""};
  int status = llvm::sys::ExecuteAndWait(*program, {*program}, std::nullopt,
                                         redirects, /*SecondsToWait=*/30);
  auto text = llvm::MemoryBuffer::getFile(path);
  if (status != 0 || !text)
    return makeError(ErrorCode::Unsupported, "--capture_hw: '{0}' failed ({1})",
                     *program, status);
  return parseRocmInfo((*text)->getBuffer(), arch);
}
