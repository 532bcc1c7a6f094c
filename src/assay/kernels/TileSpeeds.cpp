// Measuring and keeping the speeds. A tile runs on two panels that fit half of
// the first level, again and again; the time of a call over its steps is the
// tile's. Copies and reads go over buffers of a known size. The file is JSON: a
// line per tile, so that a person can read it.
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/support/UserFolder.h"
#include "assay/tensor/AtomicFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>

namespace assay::kernels {

double TileSpeeds::stepOf(TileShape shape) const {
  auto found = stepNs.find(shape);
  return found == stepNs.end() ? 0 : found->second;
}

// ---- measuring

static double nowNs() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The least time of a call of `run`, each repetition at least 50 us long.
template <typename Run> static double leastNs(Run run) {
  int calls = 1;
  double best = INFINITY;
  for (int repeat = 0; repeat < 12;) {
    double start = nowNs();
    for (int call = 0; call < calls; ++call)
      run();
    double ns = nowNs() - start;
    if (ns < 50e3 && calls < 1 << 20) {
      calls *= 2;
      continue;
    }
    best = std::min(best, ns / calls);
    ++repeat;
  }
  return best;
}

namespace {
/// Memory on pages of its own, zero.
class Buffer {
public:
  explicit Buffer(int64_t bytes)
      : data_(std::aligned_alloc(4096, (bytes + 8191) / 4096 * 4096)) {
    std::memset(data_, 0, (bytes + 8191) / 4096 * 4096);
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer &) = delete;
  char *data() const { return static_cast<char *>(data_); }

private:
  void *data_;
};
} // namespace

/// Cycles a nanosecond as the model counts them, two products of vectors each:
/// those of the best f32 tile. A processor with one product a cycle has half its
/// clock here, and all that is counted in such cycles follows.
static double effectiveGhz(const TileSpeeds &speeds) {
  double best = 0;
  for (const auto &[shape, ns] : speeds.stepNs) {
    auto [math, rows, columns, packed] = shape;
    if (math == MicroMath::F32)
      best = std::max(best, rows * columns * cyclesPerProduct(math) / ns);
  }
  return best > 0 ? best : cost::kGhz;
}

/// Nanoseconds a step of one register tile.
static double stepNs(MicroFunction function, const MicroKey &key, int lanes,
                     const Caches &caches) {
  DataType sum = accumulatorOf(key.math);
  int64_t width = int64_t(key.columns) * lanes;
  int64_t stepBytes = groupOf(key.math) * packedBytesOf(key.math);
  int64_t steps = std::clamp<int64_t>(
      caches.l1 / 2 / ((key.rows + width) * stepBytes) / 8 * 8, 16, 384);
  Buffer a(key.rows * (steps + 16) * stepBytes), b(width * steps * stepBytes),
      c(key.rows * width * sizeOf(sum));
  MicroArguments arguments;
  arguments.k = steps;
  arguments.a = a.data();
  // Rows of an odd number of lines apart: no two share a set.
  arguments.aStride = ((steps * stepBytes + 63) / 64 | 1) * 64;
  if (arguments.aStride > (steps + 16) * stepBytes)
    arguments.aStride = steps * stepBytes;
  arguments.b = b.data();
  arguments.c = c.data();
  arguments.cRow = width * sizeOf(sum);
  arguments.n = width;
  Buffer init(width * 4 + 64);
  arguments.init = reinterpret_cast<const int32_t *>(init.data());
  setScalars(arguments, sum, 1, 0);
  double ns = leastNs([&] { function(&arguments); });
  // Less what the estimate counts for a call.
  double callNs = (8 + key.rows * key.columns) / cost::kGhz;
  return std::max(ns - callNs, ns / 2) / double(steps);
}

/// Adds the shapes of one list of kernels.
static llvm::Error measureTiles(Registry &registry, TypePair types,
                                TileSpeeds &speeds) {
  const Machine &machine = registry.machine();
  MicroMath math = mathFor(types, machine.isa);
  int lanes = machine.isa.lanes(accumulatorOf(math));
  for (const GemmConfig &config : registry.enumerate(types, Layout::RCR)) {
    if (config.family != Family::Tile || config.nr % lanes != 0)
      continue;
    for (bool packed : {true, false}) {
      TileShape shape{math, config.mr, config.nr / lanes, packed};
      if (speeds.stepNs.count(shape))
        continue;
      MicroKey key;
      key.math = math;
      key.rows = config.mr;
      key.columns = config.nr / lanes;
      key.unroll = std::max(1, config.kr / groupOf(math));
      key.aForm = packed ? AForm::Packed : AForm::RowMajor;
      key.bUnsigned = math == MicroMath::ByteQuads && types.b == DataType::U8;
      key.flipA = math == MicroMath::ByteQuads && types.a == types.b;
      key.aType = key.bType = accumulatorOf(math);
      auto function = registry.jit().get(key);
      if (!function)
        return function.takeError();
      double ns = stepNs(*function, key, lanes, machine.caches);
      if (ns > 0)
        speeds.stepNs[shape] = ns;
    }
  }
  return llvm::Error::success();
}

/// Bytes a nanosecond of copies into panels of 16: source and panel in the
/// second level, as blocks of a product are.
static double packBytesPerNs(const Caches &caches, bool along) {
  constexpr int kLanes = 16;
  int64_t depth = 512,
          panels = std::max<int64_t>(1, caches.l2 / 4 / (kLanes * depth * 4));
  Buffer source(panels * kLanes * depth * 4), panel(kLanes * depth * 4);
  PanelJob job;
  job.lanes = job.width = kLanes;
  job.k = depth;
  job.laneStride = along ? depth : 1;
  job.stepStride = along ? 1 : panels * kLanes;
  double ns = leastNs([&] {
    for (int64_t p = 0; p < panels; ++p) {
      job.source = source.data() + p * kLanes * (along ? depth : 1) * 4;
      packPanel(job, MicroMath::F32, panel.data());
    }
  });
  return double(panels) * kLanes * depth * 8 / ns;
}

/// Bytes a nanosecond of reads from a buffer of that size.
static double readBytesPerNs(int64_t bytes) {
  Buffer buffer(bytes);
  const auto *words = reinterpret_cast<const uint64_t *>(buffer.data());
  volatile uint64_t sink = 0;
  double ns = leastNs([&] {
    uint64_t sums[8] = {};
    for (int64_t i = 0; i + 8 <= bytes / 8; i += 8)
      for (int lane = 0; lane < 8; ++lane)
        sums[lane] += words[i + lane];
    for (uint64_t sum : sums)
      sink = sink + sum;
  });
  return double(bytes) / ns;
}

llvm::Expected<TileSpeeds> measureSpeeds(Registry &registry) {
  TileSpeeds speeds;
  for (const char *types : {"f32", "f64", "bf16", "s8", "u8s8"})
    if (llvm::Error error =
            measureTiles(registry, *parseTypePair(types), speeds))
      return error;
  speeds.ghz = effectiveGhz(speeds);
  const Caches &caches = registry.machine().caches;
  speeds.beyond = readBytesPerNs(std::max<int64_t>(16 << 20, 8 * caches.l2));
  speeds.l2 = readBytesPerNs(caches.l2 / 2);
  speeds.packAlong = packBytesPerNs(caches, true);
  speeds.packAcross = packBytesPerNs(caches, false);
  return speeds;
}

// ---- keeping

std::string speedsPath(const Machine &machine) {
  llvm::SmallString<128> path(userDataFolder());
  if (path.empty())
    return "";
  std::string facts = machine.processor + " " + machine.isa.features;
  llvm::sys::path::append(
      path, "speeds",
      machine.isa.name + "-" +
          llvm::utohexstr(llvm::xxh3_64bits(facts), /*LowerCase=*/true, 16) +
          ".json");
  return path.str().str();
}

std::string speedsInUse(const Machine &machine) {
  std::string own = machine.processor.empty() ? "" : speedsPath(machine);
  if (!own.empty() && llvm::sys::fs::exists(own))
    return own;
  if (machine.isa.cpu.empty())
    return "";
  for (const std::string &folder : modelFolders()) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, "speeds",
                            machine.isa.cpu + "-" + machine.isa.name + ".json");
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

static llvm::json::Object bandwidths(const TileSpeeds &speeds) {
  return llvm::json::Object{{"beyond_l2", speeds.beyond},
                            {"l2", speeds.l2},
                            {"pack_along", speeds.packAlong},
                            {"pack_across", speeds.packAcross}};
}

llvm::Error saveSpeeds(const TileSpeeds &speeds, const std::string &path) {
  llvm::json::Array tiles;
  for (const auto &[shape, ns] : speeds.stepNs) {
    auto [math, rows, columns, packed] = shape;
    tiles.push_back(llvm::json::Object{{"math", static_cast<int>(math)},
                                       {"rows", rows},
                                       {"columns", columns},
                                       {"packed", packed},
                                       {"step_ns", ns}});
  }
  llvm::json::Value all =
      llvm::json::Object{{"cycles_per_ns", speeds.ghz},
                         {"bytes_per_ns", bandwidths(speeds)},
                         {"tiles", std::move(tiles)}};
  std::error_code code =
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  if (code)
    return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}",
                     path, code.message());
  auto file = tensor::AtomicFile::create(path);
  if (!file)
    return file.takeError();
  std::string text = llvm::formatv("{0:2}\n", all).str();
  if (llvm::Error error = (*file)->write(text.data(), text.size()))
    return error;
  return (*file)->commit();
}

llvm::Expected<TileSpeeds> loadSpeeds(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read '{0}': {1}", path,
                     buffer.getError().message());
  auto damaged = [&] {
    return makeError(
        ErrorCode::DataLoss,
        "'{0}' is damaged; `assay doctor --measure` writes it anew", path);
  };
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return damaged();
  }
  const llvm::json::Object *root = value->getAsObject();
  const llvm::json::Object *rates =
      root ? root->getObject("bytes_per_ns") : nullptr;
  const llvm::json::Array *tiles = root ? root->getArray("tiles") : nullptr;
  if (!rates || !tiles)
    return damaged();
  TileSpeeds speeds;
  speeds.ghz = root->getNumber("cycles_per_ns").value_or(0);
  if (!(speeds.ghz > 0) || !std::isfinite(speeds.ghz))
    return damaged();
  for (auto [key, rate] : {std::pair("beyond_l2", &speeds.beyond),
                           {"l2", &speeds.l2},
                           {"pack_along", &speeds.packAlong},
                           {"pack_across", &speeds.packAcross}}) {
    *rate = rates->getNumber(key).value_or(0);
    if (!(*rate > 0) || !std::isfinite(*rate))
      return damaged();
  }
  for (const llvm::json::Value &entry : *tiles) {
    const llvm::json::Object *tile = entry.getAsObject();
    double ns = tile ? tile->getNumber("step_ns").value_or(0) : 0;
    if (!(ns > 0) || !std::isfinite(ns))
      return damaged();
    TileShape shape{
        static_cast<MicroMath>(tile->getInteger("math").value_or(0)),
        static_cast<int>(tile->getInteger("rows").value_or(0)),
        static_cast<int>(tile->getInteger("columns").value_or(0)),
        tile->getBoolean("packed").value_or(true)};
    speeds.stepNs[shape] = ns;
  }
  return speeds;
}

namespace {
/// What is known of one machine; never freed, since estimates read it without a
/// lock.
struct Known {
  std::string isa, processor;
  std::optional<TileSpeeds> speeds;
  Known *next;
};
} // namespace

const TileSpeeds *measuredSpeeds(const Machine &machine) {
  static std::atomic<Known *> first = nullptr;
  static std::mutex mutex;
  auto find = [&]() -> Known * {
    for (Known *known = first.load(std::memory_order_acquire); known;
         known = known->next)
      if (known->isa == machine.isa.name &&
          known->processor == machine.processor)
        return known;
    return nullptr;
  };
  Known *known = find();
  if (!known) {
    std::lock_guard<std::mutex> lock(mutex);
    known = find();
    if (!known) {
      known = new Known{machine.isa.name, machine.processor, std::nullopt,
                        first.load(std::memory_order_relaxed)};
      llvm::Expected<TileSpeeds> speeds = loadSpeeds(speedsInUse(machine));
      if (speeds)
        known->speeds = std::move(*speeds);
      else
        llvm::consumeError(speeds.takeError()); // the constants serve
      first.store(known, std::memory_order_release);
    }
  }
  return known->speeds ? &*known->speeds : nullptr;
}

double l2BytesPerNs(const Machine &machine) {
  const TileSpeeds *speeds = measuredSpeeds(machine);
  return speeds ? speeds->l2 : cost::kL2BytesPerNs;
}

double clockGhz(const Machine &machine) {
  const TileSpeeds *speeds = measuredSpeeds(machine);
  return speeds ? speeds->ghz : cost::kGhz;
}

} // namespace assay::kernels
