// Measures and stores the speeds. A tile runs repeatedly on two panels that fit
// half of the first level; the time of a call divided by its steps is the
// tile's speed. Clocks drift within milliseconds (a Zen 1 host: between 2.4 and
// 2.9 GHz), so everything that depends on the clock is timed alternately with
// one kernel, the reference, and recorded as a multiple of its time. Copies and
// reads use buffers of a known size. The file is JSON with one line per tile,
// so that a person can read it.
#include "assay/kernels/TileSpeeds.h"
#include "assay/kernels/CostConstants.h"
#include "assay/kernels/jit/Jit.h"
#include "assay/kernels/outer/Packing.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/UserFolder.h"

#include "llvm/ADT/STLExtras.h"
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
#include <functional>
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

namespace {
/// Times functions, with enough calls to take 50 us or more.
class Clock {
public:
  using Run = llvm::function_ref<void()>;

  /// The number of calls that take that long.
  static int callsOf(Run run) {
    int calls = 1;
    while (calls < 1 << 20 && timeOf(run, calls) * calls < 50e3)
      calls *= 2;
    return calls;
  }
  /// The nanoseconds per call, over `calls` calls.
  static double timeOf(Run run, int calls) {
    double start = nowNs();
    for (int call = 0; call < calls; ++call)
      run();
    return (nowNs() - start) / calls;
  }
  /// The least time of several repetitions.
  static double leastOf(Run run) {
    int calls = callsOf(run);
    double best = INFINITY;
    for (int repeat = 0; repeat < kRepeats; ++repeat)
      best = std::min(best, timeOf(run, calls));
    return best;
  }
  static constexpr int kRepeats = 31;
};

/// A function that takes the same number of cycles each time; others are timed
/// against it.
class Reference {
public:
  explicit Reference(std::function<void()> run)
      : run_(std::move(run)), calls_(Clock::callsOf(run_)) {}

  /// The time of a call as a multiple of the reference's, run alternately; the
  /// median.
  double multipleOf(Clock::Run run) {
    int calls = Clock::callsOf(run);
    std::vector<double> multiples;
    for (int repeat = 0; repeat < Clock::kRepeats; ++repeat) {
      double mine = Clock::timeOf(run_, calls_);
      leastNs_ = std::min(leastNs_, mine);
      multiples.push_back(Clock::timeOf(run, calls) / mine);
    }
    llvm::sort(multiples);
    return multiples[multiples.size() / 2];
  }
  /// The time at the fastest clock that was seen.
  double leastNs() const { return leastNs_; }

private:
  std::function<void()> run_;
  int calls_;
  double leastNs_ = INFINITY;
};
} // namespace

namespace {
/// Memory on its own pages, zeroed.
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

/// Cycles per nanosecond as the model counts them, with two vector products per
/// cycle: derived from the best f32 tile. For a processor with one product per
/// cycle this is half of its clock, and everything counted in such cycles
/// scales with it.
static double effectiveGhz(const TileSpeeds &speeds) {
  double best = 0;
  for (const auto &[shape, ns] : speeds.stepNs) {
    auto [math, rows, columns, packed] = shape;
    if (math == MicroMath::F32)
      best = std::max(best, rows * columns * cyclesPerProduct(math) / ns);
  }
  return best > 0 ? best : cost::kGhz;
}

namespace {
/// A register tile with its own panels.
class TileRun {
public:
  TileRun(MicroFunction function, const MicroKey &key, int lanes,
          const Caches &caches)
      : function_(function), rows_(key.rows), width_(key.columns * lanes),
        stepBytes_(groupOf(key.math) * packedBytesOf(key.math)),
        steps_(std::clamp<int64_t>(
            caches.l1 / 2 / ((rows_ + width_) * stepBytes_) / 8 * 8, 16, 384)),
        a_(rows_ * (steps_ + 16) * stepBytes_),
        b_(width_ * steps_ * stepBytes_),
        c_(rows_ * width_ * sizeOf(accumulatorOf(key.math))),
        init_(width_ * 4 + 64),
        callCycles_(8 + double(key.rows) * key.columns) {
    DataType sum = accumulatorOf(key.math);
    arguments_.k = steps_;
    arguments_.a = a_.data();
    // Rows an odd number of lines apart, so that no two share a set.
    arguments_.aStride = ((steps_ * stepBytes_ + 63) / 64 | 1) * 64;
    if (arguments_.aStride > (steps_ + 16) * stepBytes_)
      arguments_.aStride = steps_ * stepBytes_;
    arguments_.b = b_.data();
    arguments_.c = c_.data();
    arguments_.cRow = width_ * sizeOf(sum);
    arguments_.n = width_;
    arguments_.init = reinterpret_cast<const int32_t *>(init_.data());
    setScalars(arguments_, sum, 1, 0);
  }
  void operator()() { function_(&arguments_); }
  /// The time of a step, without the estimate's cost of a call.
  double stepNs(double callNs) const {
    return std::max(callNs - callCycles_ / cost::kGhz, callNs / 2) /
           double(steps_);
  }

private:
  MicroFunction function_;
  int64_t rows_, width_, stepBytes_, steps_;
  Buffer a_, b_, c_, init_;
  double callCycles_;
  MicroArguments arguments_;
};

/// The times of tiles as multiples of the first one's.
class TileTimes {
public:
  TileTimes(Registry &registry) : registry_(registry) {}
  /// Adds the shapes of one list of kernels. Errors: those of the compiler
  llvm::Error add(TypePair types);
  /// Stores them in `speeds`, at the reference's fastest clock.
  void fill(TileSpeeds &speeds) const;
  Reference &reference() { return *reference_; }

private:
  struct Entry {
    std::shared_ptr<TileRun> run;
    double multiple = 0;
  };
  Registry &registry_;
  std::map<TileShape, Entry> entries_;
  std::unique_ptr<Reference> reference_;
};
} // namespace

llvm::Error TileTimes::add(TypePair types) {
  const Machine &machine = registry_.machine();
  MicroMath math = mathFor(types, machine.isa);
  int lanes = machine.isa.lanes(accumulatorOf(math));
  for (const GemmConfig &config : registry_.enumerate(types, Layout::RCR)) {
    if (config.family != Family::Tile || config.nr % lanes != 0)
      continue;
    for (bool packed : {true, false}) {
      TileShape shape{math, config.mr, config.nr / lanes, packed};
      if (entries_.count(shape))
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
      auto function = registry_.jit().get(key);
      if (!function)
        return function.takeError();
      auto run =
          std::make_shared<TileRun>(*function, key, lanes, machine.caches);
      if (!reference_)
        reference_ = std::make_unique<Reference>([run] { (*run)(); });
      entries_[shape] = {run, reference_->multipleOf([&] { (*run)(); })};
    }
  }
  return llvm::Error::success();
}

void TileTimes::fill(TileSpeeds &speeds) const {
  for (const auto &[shape, entry] : entries_)
    speeds.stepNs[shape] =
        entry.run->stepNs(entry.multiple * reference_->leastNs());
}

/// Bytes per nanosecond of copies into panels of 16; source and panel are in
/// the second level, as blocks of a product are.
static double packBytesPerNs(Reference &reference, const Caches &caches,
                             bool along) {
  constexpr int kLanes = 16;
  int64_t depth = 512,
          panels = std::max<int64_t>(1, caches.l2 / 4 / (kLanes * depth * 4));
  Buffer source(panels * kLanes * depth * 4), panel(kLanes * depth * 4);
  PanelJob job;
  job.lanes = job.width = kLanes;
  job.k = depth;
  job.laneStride = along ? depth : 1;
  job.stepStride = along ? 1 : panels * kLanes;
  double multiple = reference.multipleOf([&] {
    for (int64_t p = 0; p < panels; ++p) {
      job.source = source.data() + p * kLanes * (along ? depth : 1) * 4;
      packPanel(job, MicroMath::F32, panel.data());
    }
  });
  return double(panels) * kLanes * depth * 8 / (multiple * reference.leastNs());
}

/// Reads all of a buffer.
static void readAll(const Buffer &buffer, int64_t bytes) {
  const auto *words = reinterpret_cast<const uint64_t *>(buffer.data());
  volatile uint64_t sink = 0;
  uint64_t sums[8] = {};
  for (int64_t i = 0; i + 8 <= bytes / 8; i += 8)
    for (int lane = 0; lane < 8; ++lane)
      sums[lane] += words[i + lane];
  for (uint64_t sum : sums)
    sink = sink + sum;
}

llvm::Expected<TileSpeeds> measureSpeeds(Registry &registry) {
  TileSpeeds speeds;
  TileTimes tiles(registry);
  for (const char *types : {"f32", "f64", "bf16", "s8", "u8s8"})
    if (llvm::Error error = tiles.add(*parseTypePair(types)))
      return error;
  const Caches &caches = registry.machine().caches;
  Reference &reference = tiles.reference();
  int64_t inL2 = caches.l2 / 2,
          beyond = std::max<int64_t>(16 << 20, 8 * caches.l2);
  Buffer small(inL2), large(beyond);
  double l2Multiple = reference.multipleOf([&] { readAll(small, inL2); });
  speeds.packAlong = packBytesPerNs(reference, caches, true);
  speeds.packAcross = packBytesPerNs(reference, caches, false);
  speeds.l2 = double(inL2) / (l2Multiple * reference.leastNs());
  // Memory has its own clock.
  speeds.beyond =
      double(beyond) / Clock::leastOf([&] { readAll(large, beyond); });
  tiles.fill(speeds);
  speeds.ghz = effectiveGhz(speeds);
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
  auto file = AtomicFile::create(path);
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
        "'{0}' is damaged; `assay doctor --measure` writes it again", path);
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
/// The speeds of one machine. They are never freed, since estimates read them
/// without a lock.
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
        llvm::consumeError(speeds.takeError()); // the constants are used
                                                // instead
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
