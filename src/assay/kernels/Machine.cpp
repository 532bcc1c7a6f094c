// The instructions that kernels may use, and the sizes of the caches. LLVM
// names the processor and its features. The environment variable ASSAY_ISA
// restricts them, so that the code for older processors can be tried on a newer
// one.
#include "assay/kernels/Machine.h"

#include "assay/support/ThreadPool.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sys/syscall.h>
#include <unistd.h>

namespace assay::kernels {

namespace {
/// The instruction sets by name, narrowest first, with an LLVM processor that
/// has each.
struct IsaRow {
  const char *name, *cpu;
  int vectorBytes, vectorRegisters;
  bool fma, vnni, bf16, amx;
};
} // namespace

static constexpr IsaRow kIsas[] = {
    {"baseline", "x86-64", 16, 16, false, false, false, false},
    {"avx2", "haswell", 32, 16, true, false, false, false},
    {"avx512", "skylake-avx512", 64, 32, true, false, false, false},
    {"avx512_vnni", "cascadelake", 64, 32, true, true, false, false},
    {"avx512_bf16", "cooperlake", 64, 32, true, true, true, false},
    {"amx", "sapphirerapids", 64, 32, true, true, true, true},
};

/// A process must request the tile registers once: Linux saves them only for
/// processes that did.
static bool tilesPermitted() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long kRequestPermission = 0x1023,
                 kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

/// The row of the widest set that the processor has.
static int widestIsa(const llvm::StringMap<bool> &features) {
  auto has = [&](const char *name) { return features.lookup(name); };
  if (!has("avx2") || !has("fma"))
    return 0;
  if (!has("avx512f") || !has("avx512bw") || !has("avx512vl") ||
      !has("avx512dq"))
    return 1;
  if (!has("avx512vnni"))
    return 2;
  if (!has("avx512bf16"))
    return 3;
  return has("amx-tile") && has("amx-int8") && has("amx-bf16") &&
                 tilesPermitted()
             ? 5
             : 4;
}

static Isa makeIsa() {
  Isa isa;
#if defined(__x86_64__)
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  int widest = widestIsa(features), chosen = widest;
  std::string note;
  if (const char *wish = std::getenv("ASSAY_ISA"); wish && *wish) {
    int named = -1;
    for (int index = 0; index < int(std::size(kIsas)); ++index)
      if (llvm::StringRef(wish) == kIsas[index].name)
        named = index;
    if (named >= 0)
      chosen = std::min(named, widest);
    if (named < 0 || named > widest)
      note = llvm::formatv(
          "ASSAY_ISA is '{0}', which is {1}; kernels use {2}", wish,
          named < 0 ? "none of baseline, avx2, avx512, avx512_vnni, "
                      "avx512_bf16, amx"
                    : "more than this processor has",
          kIsas[chosen].name);
  }
  const IsaRow &row = kIsas[chosen];
  isa = {row.name, row.cpu,  "",      row.vectorBytes, row.vectorRegisters,
         row.fma,  row.vnni, row.amx, row.bf16,        note};
  if (chosen == widest && chosen > 0)
    isa.cpu = llvm::sys::getHostCPUName().str();
  // An unknown or virtual processor may have the name of a smaller one, so the
  // features that the kernels rely on are named.
  if (row.vectorBytes == 32)
    isa.features = "+avx2,+fma";
  if (row.vectorBytes == 64)
    isa.features =
        "+avx2,+fma,+avx512f,+avx512bw,+avx512vl,+avx512dq,-prefer-256-bit";
  if (row.vnni)
    isa.features += ",+avx512vnni";
  if (row.bf16)
    isa.features += ",+avx512bf16";
  if (row.amx)
    isa.features += ",+amx-tile,+amx-int8,+amx-bf16";
#else
  isa = {"baseline", llvm::sys::getHostCPUName().str(),
         "",         16,
         32,         true,
         false,      false,
         false,      ""};
#endif
  return isa;
}

/// The first line of a file of sysfs; empty where it cannot be read.
static std::string lineOf(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().split('\n').first.trim().str() : "";
}

/// The bytes of a level's data cache through which the first core reads. The C
/// library adds up all third-level caches of a package, of which a core uses
/// one.
static int64_t cacheSize(int level, int name, int64_t fallback) {
  std::string place = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0; index < 8; ++index) {
    std::string folder = place + std::to_string(index);
    if (lineOf(folder + "/level") != std::to_string(level) ||
        lineOf(folder + "/type") == "Instruction")
      continue;
    std::string text = lineOf(folder + "/size"); // "32768K"
    llvm::StringRef digits = text;
    int shift = digits.consume_back("K")   ? 10
                : digits.consume_back("M") ? 20
                                           : 0;
    int64_t size = 0;
    if (!digits.getAsInteger(10, size) && size > 0)
      return size << shift;
  }
  long size = sysconf(name);
  return size > 0 ? size : fallback;
}

static std::string processorName() {
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (file) {
    llvm::StringRef text = (*file)->getBuffer();
    size_t at = text.find("model name");
    if (at != llvm::StringRef::npos)
      return text.substr(at).split('\n').first.split(':').second.trim().str();
  }
  return llvm::sys::getHostCPUName().str();
}

Machine Machine::detect() {
  Machine machine;
  machine.isa = makeIsa();
  Caches fallback;
  machine.caches = {cacheSize(1, _SC_LEVEL1_DCACHE_SIZE, fallback.l1),
                    cacheSize(2, _SC_LEVEL2_CACHE_SIZE, fallback.l2),
                    cacheSize(3, _SC_LEVEL3_CACHE_SIZE, fallback.l3)};
  machine.cores = availableCores();
  machine.processor = processorName();
  return machine;
}

} // namespace assay::kernels
