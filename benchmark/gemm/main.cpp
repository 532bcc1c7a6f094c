// `./dev bench gemm`: compares Assay's matrix products with MKL, OpenBLAS and
// oneDNN, in one process, alternately. Prints a row per case, and per peer a
// closing line with the geometric mean of (its time / ours, the median over the
// rounds) and the share of the machine's limit. The limit is the longer of the
// arithmetic at the measured multiply-add peak and the memory traffic at the
// measured bandwidth. In each round every library gets its turn after a short
// rest, with its threads on their own cores. Shapes that the shipped model was
// trained on and shapes that it never saw have separate closing lines.
//
// Differences between the sides: our kernel and oneDNN's primitive are made
// before the clock starts, MKL and OpenBLAS choose within each call. No side
// packs B beforehand.
#include "Constants.h"
#include "Peers.h"
#include "Samples.h"
#include "assay/kernels/Peaks.h"
#include "assay/kernels/Selector.h"
#include "assay/select/LearnedSelector.h"
#include "assay/support/Random.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>

using namespace assay;
using namespace assay::kernels;
using assay::bench::Call;
using assay::bench::Samples;

namespace {
struct Options {
  bool all = false, quick = false, constants = false;
  std::string json, kernel, types, peers = "MKL,OpenBLAS,oneDNN";
  int threads = 0; // 0: one and two
  std::vector<std::string> shapes;
};
struct Shape {
  int64_t m, n, k;
  auto operator<=>(const Shape &) const = default;
};
struct Result {
  std::string types, kernel;
  Shape shape;
  int threads;
  bool seen; ///< the shipped model was trained on this shape
  double limitUs;
  Samples us;
  std::string wrong;

  double share() const { return limitUs / us.least(); }
};
} // namespace

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static std::vector<Shape> readShapes(const char *path, size_t every,
                                     size_t offset) {
  std::vector<Shape> shapes;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    llvm::errs() << "bench gemm: cannot read " << path << "\n";
    return shapes;
  }
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (size_t line = 1, kept = 0; line < lines.size(); ++line) {
    llvm::SmallVector<llvm::StringRef, 4> cells;
    lines[line].trim().split(cells, ',');
    Shape shape;
    if (cells.size() < 3 || cells[0].getAsInteger(10, shape.m) ||
        cells[1].getAsInteger(10, shape.n) ||
        cells[2].getAsInteger(10, shape.k))
      continue;
    if (2.0 * double(shape.m) * double(shape.n) * double(shape.k) >
        double(int64_t(1) << 36))
      continue;
    if (kept++ % every == offset)
      shapes.push_back(shape);
  }
  return shapes;
}

namespace {
/// Memory that begins on a cache line, which all libraries prefer.
template <typename T> struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <typename U> LineAllocator(const LineAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(
        ::operator new(count * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *memory, size_t) {
    ::operator delete(memory, std::align_val_t(64));
  }
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
};
using Bytes = std::vector<char, LineAllocator<char>>;
} // namespace

/// Small integers in every type, so that all libraries have the same exact
/// result.
static Bytes operand(DataType type, int64_t count, uint64_t stream) {
  Bytes bytes(static_cast<size_t>(count * sizeOf(type)) + 64);
  CounterRandom random(1, stream);
  int64_t low = type == DataType::U8 ? 0 : -3;
  for (int64_t index = 0; index < count; ++index) {
    int64_t value =
        low + int64_t(random.bits(static_cast<uint64_t>(index) / 16) >>
                          (index % 16 * 4) &
                      7) %
                  7;
    float real = static_cast<float>(value);
    char *to = bytes.data() + index * sizeOf(type);
    if (type == DataType::F32)
      std::memcpy(to, &real, 4);
    else if (type == DataType::BF16)
      std::memcpy(to, reinterpret_cast<char *>(&real) + 2, 2);
    else
      *to = static_cast<char>(value);
  }
  return bytes;
}

/// Whether values are equal as numbers: -0 equals 0.
static bool sameValues(DataType type, const Bytes &x, const Bytes &y) {
  if (type != DataType::F32)
    return x == y;
  auto at = [](const Bytes &bytes, size_t index) {
    float value;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  };
  for (size_t index = 0; index < x.size() / 4; ++index)
    if (at(x, index) != at(y, index))
      return false;
  return true;
}

namespace {
class Bench {
public:
  Bench(const Options &options)
      : options_(options), pool_(2),
        selector_(std::make_unique<select::LearnedSelector>(registry_)),
        peers_(bench::loadPeers(options.peers)) {}
  int run();

private:
  llvm::Error measurePeaks(llvm::ArrayRef<TypePair> types);
  Result measure(TypePair types, Shape shape, int threads);
  double turn(const Call &call, int repeats);
  double limitUs(const GemmProblem &problem);
  void print(const Result &result);
  void close();
  void writeJson();

  Options options_;
  Registry registry_;
  ThreadPool pool_;
  std::unique_ptr<Selector> selector_;
  std::vector<std::unique_ptr<bench::Peer>> peers_;
  std::map<std::string, double> gflops_; // by types and threads
  std::map<int64_t, double>
      bandwidth_[3]; // GB/s by megabytes read, for one and two threads
  std::set<Shape> trained_;
  std::vector<Result> results_;
};
} // namespace

/// Binds this thread to the first core and the workers of all libraries to the
/// others. Otherwise the scheduler sometimes puts a caller and its worker on
/// one core for a whole turn, which is not a property of any library.
static void placeThreads() {
  static const cpu_set_t all = [] {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof(cores), &cores);
    return cores;
  }();
  if (CPU_COUNT(&all) < 2)
    return;
  size_t first = 0;
  while (!CPU_ISSET(first, &all))
    ++first;
  cpu_set_t caller, others = all;
  CPU_ZERO(&caller);
  CPU_SET(first, &caller);
  CPU_CLR(first, &others);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator task("/proc/self/task", error), end;
       task != end && !error; task.increment(error)) {
    pid_t id = 0;
    if (!llvm::sys::path::filename(task->path()).getAsInteger(10, id))
      sched_setaffinity(id, sizeof(all), id == getpid() ? &caller : &others);
  }
}

double Bench::turn(const Call &call, int repeats) {
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  placeThreads();
  if (repeats > 1)
    call(); // wakes the library's threads, fills caches
  double start = now();
  for (int repeat = 0; repeat < repeats; ++repeat)
    call();
  return (now() - start) / repeats * 1e6;
}

double Bench::limitUs(const GemmProblem &problem) {
  double arithmetic =
      problem.flops() /
      gflops_[toString(problem.types()) + std::to_string(problem.threads)] *
      1e-3;
  // Data that fit a cache are read at that cache's speed, which is that of the
  // smallest measured size that holds the operands.
  const std::map<int64_t, double> &table = bandwidth_[problem.threads];
  auto size =
      table.lower_bound(static_cast<int64_t>(problem.bytes() / 1048576) + 1);
  double bandwidth =
      size == table.end() ? table.rbegin()->second : size->second;
  return std::max(arithmetic, problem.bytes() / bandwidth * 1e-3);
}

Result Bench::measure(TypePair types, Shape shape, int threads) {
  GemmProblem problem = GemmProblem::make(types, Layout::RCR, shape.m, shape.n,
                                          shape.k, 1, threads);
  Bytes a = operand(types.a, shape.m * shape.k, 1),
        b = operand(types.b, shape.k * shape.n, 2);
  // All sides write to the same C, because its place in memory matters more
  // than the kernel.
  Bytes c(static_cast<size_t>(shape.m * shape.n * 4)), ours;
  Result result{toString(types),  "", shape, threads, trained_.count(shape) > 0,
                limitUs(problem), {}, ""};
  GemmPointers pointers{a.data(), b.data(), c.data(), nullptr, nullptr};
  GemmConfig config = selector_->choose(problem);
  if (!options_.kernel.empty())
    config = llvm::cantFail(parseConfig(options_.kernel));
  result.kernel = config.name();
  auto prepared = registry_.prepare(problem, config);
  if (!prepared) {
    result.wrong = llvm::toString(prepared.takeError());
    return result;
  }
  std::vector<std::pair<std::string, Call>> calls{
      {"", [&] { (*prepared)->run(pointers, pool_); }}};
  for (auto &peer : peers_) {
    peer->setThreads(threads);
    if (Call call = peer->prepare(problem, {a.data(), b.data(), c.data()}))
      calls.emplace_back(peer->name(), std::move(call));
  }
  // Each turn lasts about 4 ms, or one call; long calls are not repeated often.
  std::vector<int> repeats;
  double spent = now();
  for (auto &[name, call] : calls) {
    std::memset(c.data(), 0xff, c.size()); // removes the previous result
    call();
    if (name.empty())
      ours = c;
    else if (!sameValues(problem.c, ours, c))
      result.wrong = "differs from " + name;
    double once = turn(call, 1);
    repeats.push_back(static_cast<int>(std::clamp(4000.0 / once, 1.0, 2000.0)));
  }
  double most = options_.quick ? 0.6 : 3;
  for (int round = 0;
       round < (options_.quick ? 3 : 9) && (round < 3 || now() - spent < most);
       ++round)
    for (size_t index = 0; index < calls.size(); ++index) {
      const std::string &name = calls[index].first;
      (name.empty() ? result.us.ours : result.us.peers[name])
          .push_back(turn(calls[index].second, repeats[index]));
    }
  return result;
}

void Bench::print(const Result &r) {
  llvm::outs() << llvm::formatv("{0,-5} t{1} {2,6} x {3,6} x {4,6}", r.types,
                                r.threads, r.shape.m, r.shape.n, r.shape.k);
  if (!r.us.ours.empty()) {
    double flops =
        2.0 * double(r.shape.m) * double(r.shape.n) * double(r.shape.k);
    llvm::outs() << llvm::formatv(
        " {0,12:f1} us {1,8:f1} GFLOP/s {2,4:f0}% of limit", r.us.least(),
        flops / r.us.least() * 1e-3, 100 * r.share());
  }
  for (auto &[name, us] : r.us.peers)
    llvm::outs() << "  " << name << " " << bench::toString(r.us.against(name));
  llvm::outs() << "  " << r.kernel << (r.seen ? "  seen" : "")
               << (r.wrong.empty() ? "" : "  WRONG: " + r.wrong) << "\n";
  llvm::outs().flush();
}

void Bench::close() {
  struct Group {
    std::vector<double> ratios;
    double logOfShares = 0;
  };
  std::map<std::string, Group> groups;
  std::vector<std::string> order;
  auto add = [&](const std::string &name, const Result &r,
                 const std::string &peer) {
    if (!groups.count(name))
      order.push_back(name);
    groups[name].ratios.push_back(r.us.against(peer).median);
    groups[name].logOfShares += std::log(r.share());
  };
  std::vector<const Result *> compared;
  for (const Result &r : results_)
    if (!r.us.peers.empty())
      compared.push_back(&r);
  for (const Result *r : compared)
    add("best peer, " + r->types + " t" + std::to_string(r->threads) +
            (r->seen ? ", shapes seen in training" : ", unseen shapes"),
        *r, r->us.bestPeer());
  for (const Result *r : compared)
    for (auto &[name, us] : r->us.peers)
      add(name + ", " + r->types, *r, name);
  for (const Result *r : compared)
    for (auto &[name, us] : r->us.peers)
      add(name, *r, name);
  for (const Result *r : compared)
    add("best peer", *r, r->us.bestPeer());
  for (const std::string &name : order) {
    const Group &group = groups[name];
    llvm::outs() << llvm::formatv(
        "bench gemm: {0}, {1:f0}% of limit\n",
        bench::closingWords(name, group.ratios),
        100 * std::exp(group.logOfShares / double(group.ratios.size())));
  }
}

void Bench::writeJson() {
  if (options_.json.empty())
    return;
  llvm::json::Array rows;
  for (const Result &r : results_)
    rows.push_back(llvm::json::Object{{"types", r.types},
                                      {"m", r.shape.m},
                                      {"n", r.shape.n},
                                      {"k", r.shape.k},
                                      {"threads", r.threads},
                                      {"seen", r.seen},
                                      {"kernel", r.kernel},
                                      {"limit_us", r.limitUs},
                                      {"us", r.us.json()},
                                      {"wrong", r.wrong}});
  llvm::json::Object peaks;
  for (int threads : {1, 2})
    for (auto [megabytes, value] : bandwidth_[threads])
      peaks["gbs_" + std::to_string(threads) + "_threads_" +
            std::to_string(megabytes) + "_mb"] = value;
  for (auto &[name, value] : gflops_)
    peaks["gflops_" + name] = value;
  llvm::json::Object all = bench::head("gemm", registry_.machine());
  all["peaks"] = std::move(peaks);
  all["cases"] = std::move(rows);
  bench::write(options_.json, std::move(all));
}

/// Measures the machine's limits, with which every case is compared.
llvm::Error Bench::measurePeaks(llvm::ArrayRef<TypePair> types) {
  llvm::outs() << "machine: " << registry_.machine().processor << ", "
               << registry_.machine().isa.name << "\n";
  for (int threads : {1, 2}) {
    llvm::outs() << "peak, " << threads << " threads: ";
    for (int64_t megabytes : {1, 16, 64, 256}) {
      bandwidth_[threads][megabytes] =
          measureBandwidth(threads, megabytes, pool_);
      llvm::outs() << llvm::formatv("{0:f1} GB/s from {1} MB, ",
                                    bandwidth_[threads][megabytes], megabytes);
    }
    for (TypePair pair : types) {
      auto gflops = measureGflops(registry_, pair, threads, pool_);
      if (!gflops)
        return gflops.takeError();
      gflops_[toString(pair) + std::to_string(threads)] = *gflops;
      llvm::outs() << llvm::formatv("{0} {1:f0} GFLOP/s ", toString(pair),
                                    *gflops);
    }
    llvm::outs() << "\n";
  }
  return llvm::Error::success();
}

/// The shapes of --shape, else some of the wide coverage and of the edge cases.
static std::vector<Shape> shapesOf(const Options &options) {
  std::vector<Shape> shapes;
  for (const std::string &text : options.shapes) {
    llvm::SmallVector<llvm::StringRef, 3> parts;
    llvm::StringRef(text).split(parts, 'x');
    Shape shape;
    if (parts.size() == 3 && !parts[0].getAsInteger(10, shape.m) &&
        !parts[1].getAsInteger(10, shape.n) &&
        !parts[2].getAsInteger(10, shape.k))
      shapes.push_back(shape);
  }
  if (!shapes.empty())
    return shapes;
  shapes = readShapes("inputs/shapes/gemm_shapes_wide_coverage.csv",
                      options.all ? 1 : 29, options.all ? 0 : 7);
  auto append = [&](const char *path, size_t every, size_t offset) {
    std::vector<Shape> more =
        readShapes(path, options.all ? 1 : every, options.all ? 0 : offset);
    shapes.insert(shapes.end(), more.begin(), more.end());
  };
  append("inputs/shapes/gemm_shapes_edge_dims.csv", 34, 5);
  append("benchmark/tune/unseen60.csv", 6, 1);
  shapes.push_back({1024, 1024, 1024});
  shapes.push_back({2048, 2048, 2048});
  return shapes;
}

int Bench::run() {
  std::vector<TypePair> types;
  for (const char *name : {"f32", "bf16", "u8s8"})
    if (options_.types.empty() || options_.types == name)
      types.push_back(*parseTypePair(name));
  if (llvm::Error error = measurePeaks(types)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  std::vector<Shape> shapes = shapesOf(options_);
  for (Shape shape : readShapes("benchmark/tune/train_shapes.csv", 1, 0))
    trained_.insert(shape);
  bool wrong = false;
  for (TypePair pair : types)
    for (int threads : {1, 2}) {
      if (options_.threads != 0 && threads != options_.threads)
        continue;
      for (Shape shape : shapes) {
        results_.push_back(measure(pair, shape, threads));
        print(results_.back());
        wrong |= !results_.back().wrong.empty();
      }
    }
  close();
  writeJson();
  return wrong ? 1 : 0;
}

int main(int argc, char **argv) {
  Options options;
  for (int index = 1; index < argc; ++index) {
    llvm::StringRef word = argv[index];
    bool hasValue = index + 1 < argc;
    if (word == "--all")
      options.all = true;
    else if (word == "--quick")
      options.quick = true;
    else if (word == "--constants")
      options.constants = true;
    else if (word == "--json" && hasValue)
      options.json = argv[++index];
    else if (word == "--kernel" && hasValue)
      options.kernel = argv[++index];
    else if (word == "--types" && hasValue)
      options.types = argv[++index];
    else if (word == "--peers" && hasValue)
      options.peers = argv[++index];
    else if (word == "--shape" && hasValue)
      options.shapes.push_back(argv[++index]);
    else if (word == "--threads" && hasValue)
      options.threads = std::atoi(argv[++index]);
    else {
      llvm::errs()
          << "usage: bench_gemm [--all] [--quick] [--constants] [--json FILE] "
             "[--types f32|bf16|u8s8] [--threads 1|2] "
             "[--peers none|NAME,NAME...] "
             "[--shape MxNxK]... [--kernel NAME]\n";
      return 2;
    }
  }
  if (options.constants) {
    Registry registry;
    ThreadPool pool(2);
    bench::printConstants(registry, pool);
    return 0;
  }
  return Bench(options).run();
}
