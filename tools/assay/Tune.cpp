// `assay tune`: measuring kernels, training models that choose them, and
// judging the models. This file finds the command and holds the flags that the
// commands share.
#include "Tune.h"
#include "assay/support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

using namespace assay;
using namespace assay::tools;

namespace {
struct TuneCommand {
  llvm::StringRef name;
  CommandFunction function;
  llvm::StringRef description;
};
} // namespace

static constexpr TuneCommand kTuneCommands[] = {
#define ASSAY_TUNE_COMMAND(name, function, description)                        \
  {name, function, description},
#include "TuneCommands.def"
#undef ASSAY_TUNE_COMMAND
};

static void printTuneUsage(llvm::raw_ostream &os) {
  os << "usage: assay tune COMMAND [ARGUMENTS]      assay tune COMMAND --help "
        "shows examples\n\n";
  for (const TuneCommand &command : kTuneCommands)
    os << "  " << command.name << std::string(12 - command.name.size(), ' ')
       << command.description << "\n";
}

ExitCode tools::tuneCommand(llvm::ArrayRef<const char *> arguments) {
  if (arguments.size() < 2) {
    printTuneUsage(llvm::errs());
    return ExitCode::BadInput;
  }
  llvm::StringRef name = arguments[1];
  if (name == "--help" || name == "-h") {
    printTuneUsage(llvm::outs());
    return ExitCode::Ok;
  }
  for (const TuneCommand &command : kTuneCommands) {
    if (command.name != name)
      continue;
    std::string shownName = "assay tune " + name.str();
    std::vector<const char *> rest{shownName.c_str()};
    rest.insert(rest.end(), arguments.begin() + 2, arguments.end());
    return command.function(rest);
  }
  llvm::errs() << "assay: error: no tune command named '" << name
               << "'; `assay tune --help` lists them\n";
  return ExitCode::BadInput;
}

void KernelFlags::add(CLI::App &app) {
  app.add_option("--op", op, "operation: gemm")->capture_default_str();
  app.add_option("--dtype", dtype,
                 "types of A and B: f32, f64, bf16, f16, s8, u8s8, ...")
      ->capture_default_str();
  app.add_option("--layout", layout, "rcr, rrr, crr or ccr")
      ->capture_default_str();
}

llvm::Error KernelFlags::check() {
  if (op != "gemm")
    return makeError(ErrorCode::Unsupported,
                     "--op is '{0}'; kernels are generated for gemm", op);
  std::optional<kernels::TypePair> parsedTypes = kernels::parseTypePair(dtype);
  if (!parsedTypes)
    return makeError(
        ErrorCode::InvalidArgument,
        "--dtype is '{0}', expected f32, f64, bf16, f16, s8, u8s8 or the like",
        dtype);
  std::optional<kernels::Layout> found = kernels::parseLayout(layout);
  if (!found)
    return makeError(ErrorCode::InvalidArgument,
                     "--layout is '{0}', expected rcr, rrr, crr or ccr",
                     layout);
  types = *parsedTypes;
  parsedLayout = *found;
  return llvm::Error::success();
}

void ProblemFlags::add(CLI::App &app) {
  app.add_option("--m", m, "rows of C")->required();
  app.add_option("--n", n, "columns of C")->required();
  app.add_option("--k", k, "depth of the sum")->required();
  app.add_option("--batch", batch, "matrices")->capture_default_str();
}

llvm::Expected<kernels::GemmProblem>
ProblemFlags::make(const KernelFlags &kernels, int threads) const {
  for (auto [name, value] :
       {std::pair("m", m), {"n", n}, {"k", k}, {"batch", batch}})
    if (value < 1 || value > (int64_t(1) << 31) - 1)
      return makeError(ErrorCode::InvalidArgument,
                       "--{0} is {1}, expected 1 to 2147483647", name, value);
  int used = threads > 0 ? threads : availableCores();
  return kernels::GemmProblem::make(kernels.types, kernels.parsedLayout, m, n,
                                    k, batch, used);
}

void LimitFlags::add(CLI::App &app) {
  app.add_option("--max-seconds", maxSeconds, "stop after this long")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", seed, "of samples and fills")->capture_default_str();
}

Interrupt LimitFlags::interrupt() const {
  Interrupt interrupt;
  if (maxSeconds > 0)
    interrupt.setTimeLimit(maxSeconds);
  return interrupt;
}

void RaceFlags::add(CLI::App &app) {
  app.add_option("--shapes", shapes, "CSV with the header m,n,k or m,n,k,batch")
      ->required();
  app.add_option(
         "--kernels", choice,
         "all, sample:N (half the analytic model's best, half at random), or "
         "active (64 so, then neighbours of the best)")
      ->capture_default_str();
  app.add_option(
      "--threads", threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--budget", budget,
                 "seconds; the problem that is begun is finished")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--cap", cap, "leave out problems of more GFLOP than this")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--pairs", pairs, "most pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(3, 10000));
  app.add_option("--json", json, "the report as JSON; - for standard output");
  app.add_flag("--quiet", quiet, "no lines per problem");
  limits.add(app);
}

llvm::Expected<RaceFlags::Parsed> RaceFlags::parse() const {
  Parsed parsed;
  llvm::Expected<select::KernelChoice> kernels =
      select::parseKernelChoice(choice);
  if (!kernels)
    return kernels.takeError();
  llvm::Expected<std::vector<select::Shape>> list = select::readShapes(shapes);
  if (!list)
    return list.takeError();
  llvm::Expected<std::vector<int>> counts = parseThreadList(threads);
  if (!counts)
    return counts.takeError();
  if (cap > 0)
    llvm::erase_if(*list, [&](const select::Shape &shape) {
      return shape.flops() > cap * 1e9;
    });
  if (list->empty())
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' holds no problem of at most {1} GFLOP", shapes,
                     cap);
  parsed.shapes = std::move(*list);
  parsed.threads = std::move(*counts);
  parsed.race.kernels = *kernels;
  parsed.race.seed = limits.seed;
  parsed.race.mostPairs = pairs;
  return parsed;
}

llvm::Expected<std::vector<int>> tools::parseThreadList(llvm::StringRef text) {
  std::vector<int> list;
  if (text.empty()) {
    list = {1};
    if (availableCores() > 1)
      list.push_back(availableCores());
    return list;
  }
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    int threads = 0;
    if (part.getAsInteger(10, threads) || threads < 1 || threads > 4096)
      return makeError(ErrorCode::InvalidArgument,
                       "--threads is '{0}', expected numbers like 1 or 1,2",
                       text);
    list.push_back(threads);
  }
  return list;
}

void tools::printNotes(kernels::Registry &registry) {
  for (const std::string &note : registry.takeNotes())
    llvm::errs() << "assay: note: " << note << "\n";
}
