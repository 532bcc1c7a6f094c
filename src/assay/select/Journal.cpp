// Journal lines and the settings in the first of them. Lines are JSON objects:
// the settings, then measurements and marks of complete problems in the order
// in which they were made.
#include "assay/select/Journal.h"
#include "assay/select/KernelSpace.h"
#include "assay/support/Json.h"
#include "assay/support/RecordFile.h"

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

static std::string lineOf(llvm::json::Object object) {
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

llvm::json::Object CollectSettings::toJson() const {
  llvm::json::Object object{{"assay_journal", 1},
                            {"dtype", dtype},
                            {"layout", layout},
                            {"kernels", kernels},
                            {"machine_class", machineClass},
                            {"registry", registryHash},
                            {"seed", static_cast<int64_t>(seed)},
                            {"pairs", pairs}};
  if (op != "gemm")
    object["op"] = op;
  return object;
}

std::optional<CollectSettings>
CollectSettings::fromJson(const llvm::json::Value &value) {
  CollectSettings s;
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper o(value, root);
  int64_t version = 0, seed = 0;
  bool whole = o && o.map("assay_journal", version) && version == 1 &&
               o.mapOptional("op", s.op) && o.map("dtype", s.dtype) &&
               o.map("layout", s.layout) && o.map("kernels", s.kernels) &&
               o.map("machine_class", s.machineClass) &&
               o.map("registry", s.registryHash) && o.map("seed", seed) &&
               o.mapOptional("pairs", s.pairs);
  s.seed = static_cast<uint64_t>(seed);
  const LocalSpace *space = findLocal(s.op);
  if (!whole || !space || !space->has(s.dtype, s.layout))
    return std::nullopt;
  return s;
}

std::string CollectSettings::differencesTo(const CollectSettings &now) const {
  std::string list;
  auto compare = [&](const char *name, const auto &ours, const auto &theirs) {
    if (ours == theirs)
      return;
    list += list.empty() ? "" : ", ";
    list += llvm::formatv("{0} {1} (now {2})", name, ours, theirs).str();
  };
  compare("--op", op, now.op);
  compare("--dtype", dtype, now.dtype);
  compare("--layout", layout, now.layout);
  compare("--kernels", kernels, now.kernels);
  compare("--seed", seed, now.seed);
  compare("--pairs", pairs, now.pairs);
  compare("machine", machineClass, now.machineClass);
  compare("list of kernels", registryHash, now.registryHash);
  return list;
}

std::string select::journalLine(const CollectSettings &settings) {
  return lineOf(settings.toJson());
}

std::string select::journalLine(const Measurement &r) {
  llvm::json::Object object{
      {"kernel", r.kernel}, {"anchor", r.anchor},      {"ratio", r.ratio},
      {"noise", r.noise},   {"anchor_ns", r.anchorNs}, {"pairs", r.pairs},
      {"round", r.round},   {"noisy", r.noisy},        {"valid", r.valid},
      {"reason", r.reason}, {"threads", r.problem->threads()}};
  const LocalSpace &space = r.problem->space();
  ColumnTable cells;
  TableWriter out(cells);
  space.write(*r.problem, out);
  for (const ProblemColumn &column : space.columns()) {
    const Column &cell = *cells.find(column.name);
    object[column.name] = column.isText
                              ? llvm::json::Value(cell.texts[0])
                              : llvm::json::Value(cell.integers[0]);
  }
  return lineOf(std::move(object));
}

std::string select::journalDoneLine(llvm::StringRef problem,
                                    double noiseFloor) {
  return lineOf(
      llvm::json::Object{{"done", problem}, {"noise_floor", noiseFloor}});
}

/// Parses the problem of a line, by the space of the settings' operation.
static bool parseProblem(const llvm::json::Object &line,
                         const CollectSettings &settings, Measurement &row) {
  const LocalSpace &space = *findLocal(settings.op);
  for (const ProblemColumn &column : space.columns())
    if (column.isText ? !line.getString(column.name)
                      : !line.getInteger(column.name))
      return false;
  std::optional<int64_t> threads = line.getInteger("threads");
  if (!threads)
    return false;
  auto parsed = space.parse(
      {"", settings.dtype, settings.layout, static_cast<int>(*threads),
       [&](const char *name, int64_t otherwise) {
         return line.getInteger(name).value_or(otherwise);
       },
       [&](const char *name) {
         return line.getString(name).value_or("").str();
       }});
  if (parsed)
    row.problem = std::move(*parsed);
  else
    llvm::consumeError(parsed.takeError());
  return row.problem != nullptr;
}

static bool parseRow(const llvm::json::Value &value,
                     const CollectSettings &settings, Measurement &row) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper o(value, root);
  return o && parseProblem(*value.getAsObject(), settings, row) &&
         o.map("kernel", row.kernel) && o.map("anchor", row.anchor) &&
         o.map("ratio", row.ratio) && o.map("noise", row.noise) &&
         o.map("anchor_ns", row.anchorNs) && o.map("pairs", row.pairs) &&
         o.map("round", row.round) && o.map("noisy", row.noisy) &&
         o.map("valid", row.valid) && o.map("reason", row.reason);
}

/// Adds the content of any line but the first; false when it does not parse.
static bool addLine(const llvm::json::Value &value, Journal &journal) {
  const llvm::json::Object *object = value.getAsObject();
  if (object && object->get("done")) {
    auto problem = object->getString("done");
    auto floor = object->getNumber("noise_floor");
    if (!problem || !floor)
      return false;
    journal.done.insert(problem->str());
    if (*floor > 0)
      journal.noiseFloors.push_back(*floor);
    return true;
  }
  Measurement row;
  if (!parseRow(value, journal.settings, row))
    return false;
  journal.rows.push_back(std::move(row));
  return true;
}

/// Adds one line; false when it does not parse.
static bool parseLine(llvm::StringRef line, Journal &journal) {
  llvm::Expected<llvm::json::Value> value = parseJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return false;
  }
  if (!journal.isEmpty)
    return addLine(*value, journal);
  auto settings = CollectSettings::fromJson(*value);
  if (settings)
    journal.settings = *settings;
  journal.isEmpty = false;
  return settings.has_value();
}

llvm::Expected<Journal> select::parseJournal(llvm::StringRef text,
                                             llvm::StringRef path) {
  Journal journal;
  int64_t damaged = 0;
  text = text.take_front(text.rfind('\n') + 1); // a kill may cut the last line
  forEachRecord(text, [&](llvm::StringRef line, int64_t number) {
    damaged = parseLine(line, journal) ? 0 : number;
    return damaged == 0;
  });
  if (damaged)
    return makeError(ErrorCode::DataLoss,
                     "'{0}' is damaged at line {1}; move it away to start "
                     "without its measurements",
                     path, damaged);
  return journal;
}
