// `assay tune`: measuring kernels, training models that choose them, and
// judging the models. This file finds the command and defines the flags that
// the commands share.
#include "Tune.h"
#include "assay/kernels/Kind.h"
#include "assay/support/Nearest.h"
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

namespace {
/// A script of CK Tile under its own name: the equivalent command here, or its
/// replacement.
struct CkScript {
  llvm::StringRef name, command, instead;
};
} // namespace

static constexpr CkScript kCkScripts[] = {
#define ASSAY_CK_SCRIPT(name, command, instead) {name, command, instead},
#include "TuneCkScripts.def"
#undef ASSAY_CK_SCRIPT
};

static void printTuneUsage(llvm::raw_ostream &os) {
  os << "usage: assay tune COMMAND [ARGUMENTS]      assay tune COMMAND --help "
        "shows examples\n\n";
  for (const TuneCommand &command : kTuneCommands)
    os << "  " << command.name << std::string(12 - command.name.size(), ' ')
       << command.description << "\n";
  os << "\nexamples:\n"
        "  assay tune auto --budget 1200\n"
        "  assay tune predict --model_dir models/gemm_f32_rcr --m 128 --n 1536 "
        "--k 7168 --layout rcr\n";
}

ExitCode tools::tuneCommand(llvm::ArrayRef<const char *> arguments) {
  if (arguments.size() < 2) {
    printTuneUsage(llvm::errs());
    return ExitCode::BadInput;
  }
  llvm::StringRef name = arguments[1];
  if (name == "--help" || name == "-h" || name == "--help-all") {
    printTuneUsage(llvm::outs());
    return ExitCode::Ok;
  }
  llvm::StringRef asked = name;
  asked.consume_back(".py");
  for (const CkScript &script : kCkScripts) {
    if (script.name != asked)
      continue;
    if (script.command.empty())
      return reportError(
          makeError(ErrorCode::Unsupported, "'{0}' {1}", name, script.instead));
    name = script.command;
  }
  for (const TuneCommand &command : kTuneCommands) {
    if (command.name != name)
      continue;
    std::string shownName = "assay tune " + name.str();
    std::vector<const char *> rest{shownName.c_str()};
    rest.insert(rest.end(), arguments.begin() + 2, arguments.end());
    return command.function(rest);
  }
  std::vector<llvm::StringRef> names;
  for (const TuneCommand &command : kTuneCommands)
    names.push_back(command.name);
  llvm::StringRef near = nearestName(name, names);
  llvm::errs() << "assay: error: no tune command named '" << name << "'"
               << (near.empty() ? "" : " (did you mean '" + near.str() + "'?)")
               << "; `assay tune --help` lists them\n";
  return ExitCode::BadInput;
}

void KernelFlags::add(CLI::App &app) {
  app.option_defaults()->group("Problem");
  app.add_option("--op", op,
                 "operation: gemm, also called gemm_universal; conv_fwd, "
                 "conv_bwd_data, conv_bwd_weight")
      ->capture_default_str();
  app.add_option("--dtype", dtype,
                 "types of A and B: f32, f64, bf16, f16, s8, u8s8, ... (also "
                 "fp32, fp16, int8)")
      ->capture_default_str();
  app.add_option(
      "--layout", layout,
      "order of A, B, C in memory: rcr (default), rrr, crr or ccr; of "
      "images: nhwc");
  app.option_defaults()->group("Options");
}

void KernelFlags::addProblem(CLI::App &app, bool required) {
  add(app);
  app.option_defaults()->group("Problem");
  app.add_option("--m", m, "rows of A and C")->required(required);
  app.add_option("--n", n, "columns of B and C")->required(required);
  app.add_option("--k", k, "columns of A, rows of B")->required(required);
  app.add_option("--batch", batch, "products of that size")
      ->capture_default_str();
  app.option_defaults()->group("Options");
}

void KernelFlags::addAnyProblem(CLI::App &app) {
  addProblem(app, /*required=*/false);
  app.add_option("--problem", conv,
                 "a convolution in benchdnn's syntax (mb2ic64ih56oc64kh3ph1)")
      ->group("Problem");
}

llvm::Expected<const select::LocalSpace *> tools::spaceOf(llvm::StringRef op) {
  // CK Tile's name for products selects ours.
  const select::LocalSpace *space =
      select::findLocal(op == "gemm_universal" ? "gemm" : op);
  if (space)
    return space;
  std::vector<llvm::StringRef> names;
  std::string all;
#define ASSAY_KERNEL_SPACE(function, what)                                     \
  if (select::function().runsHere())                                           \
    names.push_back(select::function().op());
#include "assay/select/Spaces.def"
#undef ASSAY_KERNEL_SPACE
  for (llvm::StringRef name : names)
    all += (all.empty() ? "" : ", ") + name.str();
  llvm::StringRef near = nearestName(op, names);
  return makeError(ErrorCode::Unsupported, "--op '{0}': {1}there are {2}", op,
                   near.empty() ? "" : "did you mean '" + near.str() + "'? ",
                   all);
}

llvm::Expected<const select::LocalSpace *>
tools::spaceOfModel(const std::string &modelDir) {
  llvm::Expected<select::Model> model = select::loadDescription(modelDir);
  if (!model)
    return model.takeError();
  // A model of other kernels than ours is refused like one of products.
  const select::LocalSpace *space =
      select::findLocal(model->spec.subject.op);
  return space ? space : select::findLocal("gemm");
}

llvm::Expected<std::unique_ptr<select::KernelSet>>
KernelFlags::set(const select::SpaceContext &context) const {
  auto space = spaceOf(op);
  if (!space)
    return space.takeError();
  return (*space)->open(select::plainDtype(dtype),
                        layout.empty() ? (*space)->defaultLayout() : layout,
                        context);
}

llvm::Expected<select::ProblemRef>
KernelFlags::problem(const select::LocalSpace &space, int threads) const {
  select::ProblemWords words{
      "", select::plainDtype(dtype),
      layout.empty() ? space.defaultLayout().str() : layout,
      threads > 0 ? threads : availableCores(),
      [this](llvm::StringRef name, int64_t otherwise) {
        return name == "m"       ? m
               : name == "n"     ? n
               : name == "k"     ? k
               : name == "batch" ? batch
                                 : otherwise;
      },
      [this](const char *) { return conv; }};
  if (llvm::Error error = space.check(words.dtype, words.layout))
    return error;
  bool isText = llvm::any_of(space.columns(),
                             [](const auto &column) { return column.isText; });
  if (isText && conv.empty())
    return makeError(ErrorCode::InvalidArgument,
                     "{0} needs --problem, such as mb2ic64ih56oc64kh3ph1",
                     space.op());
  if (!isText && !conv.empty())
    return makeError(
        ErrorCode::InvalidArgument,
        "--problem names a convolution; a product has --m, --n and "
        "--k (convolutions: --op conv_fwd, ...)");
  for (const select::ProblemColumn &column : space.columns())
    if (int64_t value = column.isText ? 1 : words.number(column.name, 1);
        value < 1 || value > (int64_t(1) << 31) - 1)
      return makeError(ErrorCode::InvalidArgument,
                       "--{0} {1}, expected 1 to 2147483647", column.name,
                       value == 0 ? "is missing or 0"
                                  : "is " + std::to_string(value));
  return space.parse(words);
}

llvm::Expected<select::ProblemRef> KernelFlags::problem(int threads) const {
  auto space = spaceOf(op);
  if (!space)
    return space.takeError();
  return problem(**space, threads);
}

void RaceFlags::add(CLI::App &app) {
  app.option_defaults()->group("Measurement");
  app.add_option(
         "--shapes", shapes,
         "CSV with the header m,n,k or m,n,k,batch; of convolutions: "
         "with a column problem or CK Tile's columns, or a descriptor or "
         "MIOpen command line, one per line")
      ->required();
  app.add_option(
         "--kernels", choice,
         "all, sample:N (half the analytic model's best, half at random), or "
         "active or active:N (64 or N of these, then neighbours of the best)")
      ->capture_default_str();
  app.add_option(
      "--threads", threads,
      "numbers of threads, such as 1,2 (default: one, and all cores)");
  app.add_option("--budget", budget,
                 "seconds; a problem that was started is finished")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--cap", cap, "leave out problems of more GFLOP than this")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--pairs", pairs, "maximum number of pairs of one measurement")
      ->capture_default_str()
      ->check(CLI::Range(3, 10000));
  common.addTo(app, kMemory | kSeconds | kSeed);
}

llvm::Expected<std::vector<select::ProblemRef>>
RaceFlags::problems(const select::KernelSet &set) const {
  auto memory = common.memoryBytes();
  if (!memory)
    return memory.takeError();
  return set.read(shapes, {cap, static_cast<double>(*memory)});
}

llvm::Expected<select::RaceList> RaceFlags::list() const {
  select::RaceList list;
  auto kernels = select::parseKernelChoice(choice);
  if (!kernels)
    return kernels.takeError();
  auto counts = select::parseThreadList(threads);
  if (!counts)
    return counts.takeError();
  list.threads = std::move(*counts);
  list.race.kernels = *kernels;
  list.race.seed = common.seed;
  list.race.mostPairs = pairs;
  list.budgetSeconds = budget;
  return list;
}

void tools::printLine(llvm::StringRef line) {
  llvm::outs() << line << "\n";
  llvm::outs().flush();
}
