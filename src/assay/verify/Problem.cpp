// Names of the enumerations, sizes from the driver, and the repro line: the
// knobs that differ from their default, in benchdnn's order, then the
// descriptor.
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"
#include "assay/verify/Requests.h"
#include "assay/verify/drivers/Drivers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace assay;
using namespace assay::verify;

static const Driver *const kDrivers[] = {
#define ASSAY_DRIVER(id, name, file) &drivers::k##id,
#include "assay/verify/Drivers.def"
#undef ASSAY_DRIVER
};

llvm::ArrayRef<const Driver *> verify::allDrivers() { return kDrivers; }

const Driver *verify::findDriver(llvm::StringRef name) {
  for (const Driver *candidate : kDrivers)
    if (name == candidate->name)
      return candidate;
  return nullptr;
}

const char *verify::nameOf(Direction direction) {
  static constexpr const char *kNames[] = {"FWD_B", "FWD_D", "FWD_I",
                                           "BWD_D", "BWD_W", "BWD_WB"};
  return kNames[static_cast<int>(direction)];
}

std::string verify::toText(const Dims &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "x" : "") + std::to_string(dims[i]);
  return text;
}

llvm::StringRef Problem::knob(const char *name) const {
  auto found = own.find(name);
  if (found != own.end())
    return found->second;
  for (const OwnKnob &row : driver->knobs)
    if (llvm::StringRef(row.name) == name)
      return row.byDefault;
  return {};
}

const char *Problem::driverName() const { return driver->name; }

Dims Problem::dims(Role role) const {
  return driver->dims ? driver->dims(*this, role) : Dims();
}
Dims Problem::biasDims() const {
  return driver->biasDims ? driver->biasDims(*this) : Dims();
}
double Problem::operations() const {
  return driver->operations ? driver->operations(*this) : 0;
}
std::string verify::descriptorText(const Problem &problem) {
  return problem.driver->text(problem);
}

/// A word in a form that a shell reads back: quoted if it holds more than
/// names, numbers and a descriptor's own signs. (A shell removes the double
/// quotes around a name, and the reader does not need them.)
static std::string shellWord(llvm::StringRef word) {
  int quotes = static_cast<int>(word.count('"'));
  bool plain = !word.empty() &&
               (quotes == 0 || (quotes == 2 && word.ends_with("\""))) &&
               llvm::all_of(word, [&](char c) {
                 return llvm::isAlnum(c) ||
                        llvm::StringRef("-_./:=,+@%\"").contains(c) ||
                        (c == '*' && quotes == 2);
               });
  if (plain)
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

static bool allF32(const Problem &p) {
  return llvm::all_of(p.types,
                      [](ElementType type) { return type == types::F32; });
}

using WriteKnob = llvm::function_ref<void(
    const char *name, const std::string &value, bool print)>;

/// The requests of a problem to the engine beyond its values.
static void writeRequests(const Problem &p, WriteKnob knob) {
  for (const RequestKnob &row : requestKnobs()) {
    if (row.isRunWide)
      continue;
    auto found = p.requests.find(row.name);
    if (found != p.requests.end())
      knob(row.name, found->second, true);
    else if (*row.byDefault)
      knob(row.name, row.byDefault, false);
  }
}

static void writeAttributes(const Attributes &a, WriteKnob knob) {
  knob("attr-scales", toText(a.scales, true), !a.scales.empty());
  knob("attr-zero-points", toText(a.zeroPoints, false), !a.zeroPoints.empty());
  knob("attr-post-ops", toText(a.postOps), !a.postOps.empty());
  knob("attr-rounding-mode",
       a.isStochastic ? "dst:stochastic" : "dst:environment", a.isStochastic);
}

std::string verify::reproText(const Problem &p, bool canonical) {
  const Driver &d = *p.driver;
  std::string text;
  auto knob = [&](const char *name, const std::string &value, bool print) {
    if (print || canonical)
      text += std::string("--") + name + "=" + value + " ";
  };
  if (d.hasDirections)
    knob("dir", nameOf(p.direction), p.direction != Direction::FwdB);
  if (d.hasTypes)
    knob("dt",
         std::string(nameOf(p.types[0])) + ":" + nameOf(p.types[1]) + ":" +
             nameOf(p.types[2]),
         !allF32(p));
  auto biasKnobs = [&] {
    if (!d.hasDirections || !hasBiasFlag(p.direction))
      knob("bia-dt", nameOf(p.biasType), p.hasBias());
    if (d.hasBiasMask && p.hasBias())
      knob("bia_mask", std::to_string(p.biasMask), p.biasMask != 2);
  };
  if (d.hasBias && d.hasDirections)
    biasKnobs();
  static constexpr const char *kTags[] = {"stag", "wtag", "dtag"};
  for (int i = 0; d.hasTags && i < 3; ++i)
    knob(kTags[i], p.tags[i], p.tags[i] != "any");
  bool strided =
      !p.strides[0].empty() || !p.strides[1].empty() || !p.strides[2].empty();
  if (strided)
    knob("strides",
         toText(p.strides[0]) + ":" + toText(p.strides[1]) + ":" +
             toText(p.strides[2]),
         true);
  if (d.hasAlgorithm)
    knob("alg", toString(p.algorithm),
         p.algorithm != Algorithm::Direct);
  for (const OwnKnob &row : d.knobs)
    knob(row.name, p.knob(row.name).str(), p.knob(row.name) != row.byDefault);
  if (d.hasBias && !d.hasDirections)
    biasKnobs();
  writeRequests(p, knob);
  for (const std::string &word : p.refused)
    text += shellWord(word) + " ";
  if (d.hasAttributes)
    writeAttributes(p.attributes, knob);
  // A token that could not be read is shown as it was written.
  bool unread = !d.readsFile && !p.path.empty();
  std::string word = unread ? p.path : descriptorText(p);
  // In double quotes as benchdnn writes it: a shell removes them, and so does
  // the reader of a batch file.
  std::string name = p.name;
  llvm::erase(name, '"');
  if (!name.empty() && !unread && !d.readsFile)
    word += std::string(d.namePrefix) + "\"" + name + "\"";
  return text + shellWord(word);
}

bool verify::fillsByDefault(const RunOptions &o) {
  return o.fills == RunOptions().fills;
}

llvm::SmallVector<FillKind, 4> verify::fillsOf(const RunOptions &o) {
  if (!fillsByDefault(o))
    return o.fills;
  llvm::SmallVector<FillKind, 4> fills;
  for (FillKind kind : o.fills)
    if ((o.rule == "bound" || !judge::asksDefinedOnly(kind)) &&
        (o.special || kind != FillKind::Special))
      fills.push_back(kind);
  return fills;
}

std::string verify::reproText(const RunOptions &o) {
  RunOptions byDefault;
  std::string text;
  auto knob = [&](const char *name, const std::string &value, bool print) {
    if (print)
      text += std::string("--") + name + "=" + value + " ";
  };
  static constexpr const char *kModes[] = {"C", "P", "CP", "R", "L", "I"};
  static constexpr const char *kCold[] = {"none", "wei", "all"};
  knob("mode", o.isBitwise ? "B" : kModes[static_cast<int>(o.mode)],
       o.isBitwise || o.mode != byDefault.mode);
  knob("engine", shellWord(o.engine),
       o.engineGiven || o.engine != byDefault.engine);
  knob("fast-ref", "off", !o.fastReference);
  std::string trust, fills;
  for (const std::string &engine : o.trust)
    trust += (trust.empty() ? "" : ",") + engine;
  for (FillKind fill : o.fills)
    fills += std::string(fills.empty() ? "" : ",") + nameOf(fill);
  knob("trust", trust, !trust.empty());
  knob("rule", o.rule, o.rule != byDefault.rule);
  knob("exact-division", "true", o.exactDivision);
  knob("fill", fills, !fillsByDefault(o));
  text += o.special ? "" : "--no-special ";
  for (const auto &[role, file] : o.inputs)
    knob("input", shellWord(role + "=" + file), true);
  knob("property", llvm::join(o.properties, ","),
       !o.properties.empty() && !o.isBitwise);
  knob("cold-cache", kCold[static_cast<int>(o.coldCache)],
       o.coldCache != byDefault.coldCache);
  auto number = [](double value) {
    return llvm::formatv("{0}", llvm::format("%g", value)).str();
  };
  knob("max-ms-per-prb", number(o.maxMsPerProblem),
       o.maxMsPerProblem != byDefault.maxMsPerProblem);
  knob("fix-times-per-prb", std::to_string(o.fixTimes),
       o.fixTimes != byDefault.fixTimes);
  knob("perf-template", shellWord(o.perfTemplate),
       o.perfTemplate != byDefault.perfTemplate);
  for (const auto &[name, value] : o.requests)
    knob(name.c_str(), value, true);
  knob("seed", std::to_string(o.seed), o.seed != byDefault.seed);
  knob("timeout", number(o.timeoutSeconds),
       o.timeoutSeconds != byDefault.timeoutSeconds);
  return text;
}
