// `assay kernels list|explain`: the kernels of this machine, and why one of
// them is chosen for a problem.
#include "Options.h"
#include "assay/kernels/CostModel.h"
#include "assay/kernels/Peaks.h"
#include "assay/select/LearnedSelector.h"
#include "assay/support/Table.h"
#include "llvm/Support/JSON.h"

#include <algorithm>
#include <chrono>
#include <map>

using namespace assay;
using namespace assay::tools;
using namespace assay::kernels;

namespace {
struct KernelOptions {
  std::string op = "gemm", dtype = "f32", layout = "rcr", kernel;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  int top = 10, limit = 20;
  bool measure = false, assembly = false;
  CommonOptions common;
};
} // namespace

static constexpr const char *kExamples = R"(examples:
  assay kernels list                                   families and counts for f32, layout rcr
  assay kernels list --dtype u8s8 --layout rrr --limit 0    every name
  assay kernels explain --m 1 --n 4096 --k 4096        the choice, its estimated parts, the runners-up
  assay kernels explain --m 512 --n 512 --k 512 --measure   the same, each timed
exit codes: 0 done, 2 bad input)";

/// The type pair and layout that were asked for.
static llvm::Expected<std::pair<TypePair, Layout>>
typesOf(const KernelOptions &o) {
  auto types = parseTypePair(o.dtype);
  if (!types)
    return makeError(
        ErrorCode::InvalidArgument,
        "--dtype '{0}' is not one of f32 f64 bf16 f16 s8 u8 u8s8 s8u8",
        o.dtype);
  auto layout = parseLayout(o.layout);
  if (!layout)
    return makeError(ErrorCode::InvalidArgument,
                     "--layout '{0}' is not one of rcr rrr crr ccr", o.layout);
  if (o.op != "gemm")
    return makeError(ErrorCode::Unsupported,
                     "--op '{0}': kernels exist for gemm", o.op);
  return std::pair(*types, *layout);
}

static llvm::Error listKernels(const KernelOptions &o) {
  auto types = typesOf(o);
  if (!types)
    return types.takeError();
  Registry registry;
  llvm::ArrayRef<GemmConfig> configs =
      registry.enumerate(types->first, types->second);
  std::map<Family, int64_t> counts;
  llvm::json::Array names;
  for (const GemmConfig &config : configs) {
    ++counts[config.family];
    if (!o.common.json.empty())
      names.push_back(config.name());
  }
  if (!o.common.json.empty())
    if (llvm::Error error =
            writeJson(o.common.json,
                      llvm::json::Object{{"isa", registry.machine().isa.name},
                                         {"dtype", o.dtype},
                                         {"layout", o.layout},
                                         {"kernels", std::move(names)}}))
      return error;
  if (o.common.json == "-")
    return llvm::Error::success();
  llvm::outs() << configs.size() << " kernels for gemm "
               << toString(types->first) << " " << toString(types->second)
               << " on " << registry.machine().isa.name << "\n";
  for (auto [family, count] : counts)
    llvm::outs() << llvm::formatv("  {0,-6}{1,7}  {2}\n", toString(family),
                                  count, describe(family));
  size_t shown = o.limit > 0 ? std::min<size_t>(configs.size(),
                                                static_cast<size_t>(o.limit))
                             : configs.size();
  for (size_t index = 0; index < shown; ++index)
    llvm::outs() << index << " " << configs[index].name() << "\n";
  if (shown < configs.size())
    llvm::outs() << "... " << configs.size() - shown
                 << " more (--limit 0 shows all)\n";
  return llvm::Error::success();
}

/// Microseconds of one call, the best of several short turns.
static double measureUs(const GemmProblem &problem, const PreparedGemm &gemm,
                        ThreadPool &pool) {
  auto zeros = [](int64_t bytes) {
    return std::vector<char>(static_cast<size_t>(bytes + 64));
  };
  std::vector<char> a =
      zeros(problem.m * problem.k * problem.batch * sizeOf(problem.a));
  std::vector<char> b =
      zeros(problem.k * problem.n * problem.batch * sizeOf(problem.b));
  std::vector<char> c =
      zeros(problem.m * problem.n * problem.batch * sizeOf(problem.c));
  GemmPointers pointers{a.data(), b.data(), c.data(), nullptr, nullptr};
  gemm.run(pointers, pool);
  using Clock = std::chrono::steady_clock;
  auto microseconds = [](Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start)
        .count();
  };
  auto start = Clock::now();
  gemm.run(pointers, pool);
  int calls = static_cast<int>(
      std::clamp(2000.0 / std::max(0.01, microseconds(start)), 1.0, 2000.0));
  double best = 1e30;
  for (int turn = 0; turn < 7; ++turn) {
    start = Clock::now();
    for (int call = 0; call < calls; ++call)
      gemm.run(pointers, pool);
    best = std::min(best, microseconds(start) / calls);
  }
  return best;
}

static llvm::Error explainChoice(const KernelOptions &o) {
  auto types = typesOf(o);
  if (!types)
    return types.takeError();
  Registry registry;
  ThreadPool pool(o.common.threads);
  GemmProblem problem = GemmProblem::make(types->first, types->second, o.m, o.n,
                                          o.k, o.batch, pool.threads());
  if (auto refusal = validate(problem))
    return makeError(refusal->code, "{0}", refusal->text);
  struct Candidate {
    GemmConfig config;
    Cost cost;
    double us = 0;
  };
  std::vector<Candidate> candidates;
  std::map<std::string, int64_t> refusals;
  for (const GemmConfig &config :
       registry.enumerate(types->first, types->second)) {
    if (auto refusal = registry.supports(problem, config))
      ++refusals[std::string(toString(config.family)) + ": " + refusal->text];
    else
      candidates.push_back(
          {config, estimate(problem, config, registry.machine()), 0});
  }
  llvm::stable_sort(candidates, [](const Candidate &x, const Candidate &y) {
    return x.cost.totalNs() < y.cost.totalNs();
  });
  // The choice that the native engine makes, then the analytic model's order.
  select::LearnedSelector selector(registry);
  select::Explanation choice = selector.explain(problem);
  auto chosen = llvm::find_if(candidates, [&](const Candidate &c) {
    return c.config == choice.config;
  });
  int64_t place = chosen - candidates.begin();
  if (chosen != candidates.end())
    std::rotate(candidates.begin(), chosen, chosen + 1);
  llvm::outs() << "problem: " << toString(problem)
               << "\nmachine: " << registry.machine().processor << ", "
               << registry.machine().isa.name << "\nchosen by: " << choice.by
               << (choice.why.empty() ? "" : " (" + choice.why + ")")
               << "\nchoice: " << choice.config.name();
  if (choice.why.empty())
    llvm::outs() << ", number " << place + 1
                 << " in the analytic model's order";
  llvm::outs() << "\n"
               << candidates.size() << " kernels support the problem\n\n";
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"kernel"}};
  for (const char *title :
       {"us", "compute", "memory", "packing", "epilogue", "launch"})
    columns.push_back({title, Align::Right});
  if (o.measure)
    columns.push_back({"measured us", Align::Right});
  Table table(std::move(columns));
  for (size_t index = 0;
       index < candidates.size() && index < static_cast<size_t>(o.top);
       ++index) {
    const Candidate &candidate = candidates[index];
    const Cost &cost = candidate.cost;
    std::vector<std::string> row{candidate.config.name()};
    for (double ns : {cost.totalNs(), cost.computeNs, cost.memoryNs,
                      cost.packingNs, cost.epilogueNs, cost.launchNs})
      row.push_back(llvm::formatv("{0:f1}", ns * 1e-3).str());
    if (o.measure) {
      auto gemm = registry.prepare(problem, candidate.config);
      if (!gemm)
        return gemm.takeError();
      row.push_back(
          llvm::formatv("{0:f1}", measureUs(problem, **gemm, pool)).str());
    }
    table.addRow(std::move(row));
  }
  table.print(llvm::outs());
  if (!refusals.empty())
    llvm::outs() << "\nnot offered:\n";
  for (const auto &[reason, count] : refusals)
    llvm::outs() << llvm::formatv("  {0,6} {1}\n", count, reason);
  for (const std::string &note : registry.takeNotes())
    llvm::outs() << "note: " << note << "\n";
  return llvm::Error::success();
}

static void addProblem(CLI::App &app, KernelOptions &o) {
  app.add_option("--op", o.op, "gemm");
  app.add_option("--dtype", o.dtype,
                 "f32 f64 bf16 f16 s8 u8 u8s8 s8u8 (default f32)");
  app.add_option("--layout", o.layout,
                 "order of A, B, C in memory: rcr rrr crr ccr (default rcr)");
}

ExitCode tools::kernelsCommand(llvm::ArrayRef<const char *> arguments) {
  KernelOptions o;
  CLI::App app("Lists the kernels of this machine, or explains which one a "
               "problem gets.");
  app.require_subcommand(1);
  CLI::App *list =
      app.add_subcommand("list", "every kernel for a data type and layout");
  addProblem(*list, o);
  list->add_option("--limit", o.limit, "names to print; 0: all (default 20)")
      ->check(CLI::NonNegativeNumber);
  o.common.addTo(*list);
  CLI::App *explain = app.add_subcommand(
      "explain", "the choice for one problem, with its estimated parts");
  addProblem(*explain, o);
  explain->add_option("--m", o.m, "rows of A and C")
      ->required()
      ->check(CLI::PositiveNumber);
  explain->add_option("--n", o.n, "columns of B and C")
      ->required()
      ->check(CLI::PositiveNumber);
  explain->add_option("--k", o.k, "columns of A, rows of B")
      ->required()
      ->check(CLI::PositiveNumber);
  explain->add_option("--batch", o.batch, "products of that size")
      ->check(CLI::PositiveNumber);
  explain->add_option("--top", o.top, "kernels to show (default 10)")
      ->check(CLI::PositiveNumber);
  explain->add_flag("--measure", o.measure, "time the kernels that are shown");
  o.common.addTo(*explain);
  app.footer(kExamples);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (llvm::Error error = list->parsed() ? listKernels(o) : explainChoice(o))
    return reportError(std::move(error));
  return ExitCode::Ok;
}
