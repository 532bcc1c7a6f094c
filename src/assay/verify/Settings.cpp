// One knob's text becomes values in Settings. A handler per row of Knobs.def;
// lists are split at commas, an empty value sets the default again. Knobs that
// Assay lacks are only recorded here: the reader decides whether that is an
// error (on the command line) or makes the problems after it UNIMPLEMENTED (in
// a batch file).
#include "assay/verify/Settings.h"
#include "assay/engine/Registry.h"
#include "assay/numerics/Rules.h"
#include "assay/support/MemorySize.h"
#include "assay/verify/Foreign.h"
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/Requests.h"
#include "assay/verify/properties/Properties.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

template <typename T, typename Parse>
static llvm::Error setList(llvm::StringRef text, std::vector<T> &list,
                           const std::vector<T> &byDefault, Parse parse) {
  if (text.empty()) {
    list = byDefault;
    return llvm::Error::success();
  }
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',');
  std::vector<T> values;
  for (llvm::StringRef part : parts) {
    llvm::Expected<T> value = parse(part);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  list = std::move(values);
  return llvm::Error::success();
}

static llvm::Expected<ElementType> parseOneType(llvm::StringRef text) {
  if (std::optional<ElementType> type = parseDataType(text))
    return *type;
  return makeError(ErrorCode::InvalidArgument,
                   "data type '{0}' is unknown; expected {1}", text,
                   supportedTypes());
}

static llvm::Error setTypes(llvm::StringRef text, Settings &s) {
  static const std::vector<std::array<ElementType, 3>> kDefault{
      {types::F32, types::F32, types::F32}};
  return setList(
      text, s.problem.types, kDefault,
      [](llvm::StringRef part) -> llvm::Expected<std::array<ElementType, 3>> {
        llvm::SmallVector<llvm::StringRef, 3> names;
        part.split(names, ':');
        if (names.size() != 1 && names.size() != 3)
          return makeError(
              ErrorCode::InvalidArgument,
              "'{0}' has {1} data types; expected one, or three as SRC:WEI:DST",
              part, names.size());
        std::array<ElementType, 3> types;
        for (int i = 0; i < 3; ++i) {
          llvm::Expected<ElementType> type =
              parseOneType(names[names.size() == 1 ? 0 : i]);
          if (!type)
            return type.takeError();
          types[i] = *type;
        }
        return types;
      });
}

static llvm::Error setDirections(llvm::StringRef text, Settings &s) {
  return setList(
      text, s.problem.directions, {Direction::FwdB},
      [](llvm::StringRef part) -> llvm::Expected<Direction> {
        for (int i = 0; i <= static_cast<int>(Direction::BwdWB); ++i)
          if (part.equals_insensitive(nameOf(static_cast<Direction>(i))))
            return static_cast<Direction>(i);
        return makeError(ErrorCode::InvalidArgument,
                         "direction '{0}' is unknown; expected FWD_D FWD_B "
                         "FWD_I BWD_D BWD_W BWD_WB",
                         part);
      });
}

static llvm::Error setBiasTypes(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.biasTypes, {types::None}, parseOneType);
}

static llvm::Expected<int64_t> parseCount(llvm::StringRef text) {
  int64_t value = 0;
  if (text.getAsInteger(10, value) || value < 0 || value > (int64_t(1) << 40))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a number from 0 to 2^40", text);
  return value;
}

static llvm::Error setBiasMasks(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.biasMasks, {2},
                 [](llvm::StringRef part) -> llvm::Expected<int> {
                   llvm::Expected<int64_t> value = parseCount(part);
                   if (!value)
                     return value.takeError();
                   if (*value >= 4096)
                     return makeError(
                         ErrorCode::InvalidArgument,
                         "mask {0} is too large; dimensions are bits 0 to 11",
                         *value);
                   return static_cast<int>(*value);
                 });
}

static llvm::Error setTags(llvm::StringRef text,
                           std::vector<std::string> &list) {
  return setList(text, list, {"any"},
                 [](llvm::StringRef part) -> llvm::Expected<std::string> {
                   if (part == "any" || part == "undef")
                     return part.str();
                   auto permutation = tagPermutation(part, 0);
                   if (!permutation)
                     return permutation.takeError();
                   return part.str();
                 });
}
static llvm::Error setSrcTags(llvm::StringRef text, Settings &s) {
  return setTags(text, s.problem.srcTags);
}
static llvm::Error setWeiTags(llvm::StringRef text, Settings &s) {
  return setTags(text, s.problem.weiTags);
}
static llvm::Error setDstTags(llvm::StringRef text, Settings &s) {
  return setTags(text, s.problem.dstTags);
}

static llvm::Error setStrides(llvm::StringRef text, Settings &s) {
  using Three = std::array<Dims, 3>;
  return setList(text, s.problem.strides, std::vector<Three>{{}},
                 [](llvm::StringRef part) -> llvm::Expected<Three> {
                   llvm::SmallVector<llvm::StringRef, 3> tensors;
                   part.split(tensors, ':');
                   if (tensors.size() != 3)
                     return makeError(ErrorCode::InvalidArgument,
                                      "'{0}' has {1} tensors; expected "
                                      "SRC:WEI:DST (any of them may be empty)",
                                      part, tensors.size());
                   Three strides;
                   for (int i = 0; i < 3; ++i) {
                     llvm::SmallVector<llvm::StringRef, 6> numbers;
                     if (!tensors[i].empty())
                       tensors[i].split(numbers, 'x');
                     for (llvm::StringRef number : numbers) {
                       llvm::Expected<int64_t> value = parseCount(number);
                       if (!value)
                         return value.takeError();
                       strides[i].push_back(*value);
                     }
                   }
                   return strides;
                 });
}

static llvm::Error setBatchSizes(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.batchSizes, {0}, parseCount);
}

static llvm::Error setAlgorithms(llvm::StringRef text, Settings &s) {
  return setList(
      text, s.problem.algorithms, {Algorithm::Direct},
      [](llvm::StringRef part) -> llvm::Expected<Algorithm> {
        std::string lower = part.lower();
        llvm::StringRef name = lower;
        // Also by the names of oneDNN's enumeration.
        if (!name.consume_front("convolution_"))
          name.consume_front("deconvolution_");
        if (auto algorithm = program::parseConvolutionAlgorithm(
                name == "winograd" ? "wino" : name))
          return *algorithm;
        return makeError(
            ErrorCode::InvalidArgument,
            "algorithm '{0}' is unknown; expected DIRECT, WINO or AUTO", part);
      });
}

static llvm::Error setScales(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.scales, {{}}, [](llvm::StringRef part) {
    return parseArgumentValues(part, true);
  });
}
static llvm::Error setZeroPoints(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.zeroPoints, {{}}, [](llvm::StringRef part) {
    return parseArgumentValues(part, false);
  });
}
static llvm::Error setPostOps(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.postOps, {{}}, parsePostOps);
}
static llvm::Error setRoundings(llvm::StringRef text, Settings &s) {
  return setList(text, s.problem.stochastic, {0},
                 [](llvm::StringRef part) -> llvm::Expected<int> {
                   if (part == "dst:environment" || part == "dst:stochastic")
                     return part == "dst:stochastic";
                   return makeError(ErrorCode::InvalidArgument,
                                    "'{0}' is not a rounding mode; expected "
                                    "dst:stochastic or dst:environment",
                                    part);
                 });
}
static llvm::Error setMatch(llvm::StringRef text, Settings &s) {
  s.problem.match = text.str();
  return llvm::Error::success();
}

// ---- run knobs ----
#include "assay/verify/RunKnobs.inc"

namespace {
using Handler = llvm::Error (*)(llvm::StringRef, Settings &);
struct KnobRow {
  const char *name;
  Handler handler;
  const char *argument, *help;
};
struct LackingRow {
  const char *name, *byDefault;
  bool list, run;
};
} // namespace

static constexpr KnobRow kKnobs[] = {
#define ASSAY_KNOB(name, handler, argument, help)                              \
  {name, handler, argument, help},
#define ASSAY_RUN_KNOB(name, handler, argument, help)                          \
  {name, handler, argument, help},
#include "assay/verify/Knobs.def"
};

static constexpr LackingRow kLacking[] = {
#define ASSAY_LACKING_KNOB(name, byDefault, list)                              \
  {name, byDefault, list, false},
#define ASSAY_LACKING_RUN_KNOB(name, byDefault) {name, byDefault, false, true},
#include "assay/verify/Knobs.def"
};

static void recordLacking(const LackingRow &row, llvm::StringRef value,
                          Settings &s) {
  auto known = [&](llvm::StringRef text) {
    std::string lower = text.lower();
    bool isDefault =
        text.empty() || lower == row.byDefault ||
        (lower == "1" && row.byDefault == llvm::StringRef("true")) ||
        (lower == "0" && row.byDefault == llvm::StringRef("false"));
    return isDefault ? std::string() : text.str();
  };
  if (row.run) {
    s.lackingRun[row.name] = known(value);
    return;
  }
  std::vector<std::string> &values = s.problem.lacking[row.name];
  values.clear();
  llvm::SmallVector<llvm::StringRef, 4> parts;
  if (row.list)
    value.split(parts, ',');
  else
    parts.push_back(value);
  for (llvm::StringRef part : parts)
    values.push_back(known(part));
}

/// The error for a word that is in no table.
static llvm::Error unknownKnob(llvm::StringRef name, llvm::StringRef value,
                               const Driver *driver) {
  std::vector<llvm::StringRef> known;
  for (const KnobRow &row : kKnobs)
    known.push_back(row.name);
  for (const RequestKnob &row : requestKnobs())
    known.push_back(row.name);
  for (const OwnKnob &row : driver ? driver->knobs : llvm::ArrayRef<OwnKnob>())
    known.push_back(row.name);
  for (const Driver *other : allDrivers())
    known.push_back(other->name);
  return unknownWord(name, value, driver, known);
}

/// Sets a driver's own knob: a list of values, each in its canonical form.
static llvm::Error setOwn(const OwnKnob &row, llvm::StringRef value,
                          Settings &settings) {
  return setList(value, settings.problem.own[row.name],
                 std::vector<std::string>{row.byDefault}, row.read);
}

/// Sets a request: a list of values in their canonical form, the default as "".
static llvm::Error setRequest(const RequestKnob &row, llvm::StringRef value,
                              Settings &settings) {
  auto read = [&](llvm::StringRef part) -> llvm::Expected<std::string> {
    part = part.trim('\'').trim('"'); // benchdnn's own lists quote some
    if (part.empty())
      return std::string();
    llvm::Expected<std::string> canonical = row.read(part);
    if (canonical && *canonical == row.byDefault)
      canonical->clear();
    return canonical;
  };
  if (row.isRunWide) {
    llvm::Expected<std::string> one = read(value);
    if (!one)
      return one.takeError();
    settings.run.requests.erase(row.name);
    if (!one->empty())
      settings.run.requests[row.name] = *one;
    return llvm::Error::success();
  }
  // The two filters are one setting: the later one counts.
  llvm::StringRef name = row.name;
  if (name == "impl" || name == "skip-impl")
    settings.problem.requests.erase(name == "impl" ? "skip-impl" : "impl");
  if (name == "encoding" || name == "grouped")
    settings.problem.requests.erase(name == "encoding" ? "grouped"
                                                       : "encoding");
  std::vector<std::string> &values = settings.problem.requests[row.name];
  if (row.isList)
    return setList(value, values, std::vector<std::string>{""}, read);
  values.resize(1);
  return read(value).moveInto(values[0]);
}

/// Words that are in no table, one line for each. False for any other word.
static llvm::Expected<bool>
applyPlain(llvm::StringRef name, llvm::StringRef value, Settings &settings) {
  if (name == "reset")
    settings.problem = ProblemKnobs();
  else if (name == "show-program")
    settings.run.showProgram = true;
  else if (name == "quiet")
    settings.run.quiet = true;
  else if (name == "no-special" || name == "special")
    settings.run.special = name == "special";
  else if (name != "verbose")
    return false;
  else if (value.getAsInteger(10, settings.run.verbosity))
    return makeError(ErrorCode::InvalidArgument,
                     "--verbose: '{0}' is not a number", value);
  return true;
}

llvm::Expected<KnobResult> verify::applyKnob(llvm::StringRef word,
                                             const Driver *driver,
                                             Settings &settings) {
  if (word.starts_with("-v") && !word.starts_with("--")) {
    if (word.drop_front(2).getAsInteger(10, settings.run.verbosity))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' is not a verbosity; expected -vN", word);
    return KnobResult::Applied;
  }
  if (!word.starts_with("--"))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a knob; expected --NAME=VALUE or -vN", word);
  auto [name, value] = word.drop_front(2).split('=');
  bool hasValue = word.contains('=');
  llvm::Expected<bool> isPlain = applyPlain(name, value, settings);
  if (!isPlain)
    return isPlain.takeError();
  if (*isPlain)
    return KnobResult::Applied;
  for (const OwnKnob &row : driver ? driver->knobs : llvm::ArrayRef<OwnKnob>())
    if (name == row.name) {
      if (!hasValue)
        return makeError(ErrorCode::InvalidArgument,
                         "knob '--{0}' needs a value: --{0}={1}", name,
                         *row.byDefault ? row.byDefault : "VALUE");
      if (llvm::Error error = setOwn(row, value, settings))
        return addContext(std::move(error), "--" + name);
      return KnobResult::Applied;
    }
  for (const KnobRow &row : kKnobs) {
    if (name != row.name)
      continue;
    if (!hasValue)
      return makeError(ErrorCode::InvalidArgument,
                       "knob '--{0}' needs a value: --{0}={1}", name,
                       row.argument);
    if (llvm::Error error = row.handler(value, settings))
      return addContext(std::move(error), "--" + name);
    return KnobResult::Applied;
  }
  for (const LackingRow &row : kLacking)
    if (name == row.name) {
      recordLacking(row, value, settings);
      return KnobResult::Lacking;
    }
  if (const RequestKnob *row = findRequest(name)) {
    if (!hasValue)
      return makeError(ErrorCode::InvalidArgument,
                       "knob '--{0}' needs a value: --{0}={1}", name,
                       row->argument);
    if (llvm::Error error = setRequest(*row, value, settings))
      return addContext(std::move(error), "--" + name);
    return KnobResult::Applied;
  }
  return unknownKnob(name, value, driver);
}

bool verify::isRunWide(llvm::StringRef word) {
  static constexpr const char *kNames[] = {
      "jobs",  "threads", "max-memory", "max-seconds", "json",
      "junit", "resume",  "shard",      "quiet"};
  llvm::StringRef name = word.take_until([](char c) { return c == '='; });
  return name.consume_front("--") && llvm::is_contained(kNames, name);
}

bool verify::mayTrail(llvm::StringRef word) {
  return (word.starts_with("-v") && !word.starts_with("--")) ||
         word.starts_with("--verbose=") || word.starts_with("--timeout=");
}

std::pair<std::string, std::string> verify::knobHelpOf(llvm::StringRef name) {
  for (const KnobRow &row : kKnobs)
    if (name == row.name)
      return {row.argument, row.help};
  return {};
}

std::string verify::knobHelp() {
  std::string text;
  auto add = [&](const char *name, const char *argument, const char *help) {
    std::string left = std::string("  --") + name + "=" + argument;
    left.resize(std::max<size_t>(left.size() + 2, 40), ' ');
    text += left + help + "\n";
  };
  for (const KnobRow &row : kKnobs)
    add(row.name, row.argument, row.help);
  for (const RequestKnob &row : requestKnobs())
    add(row.name, row.argument, row.help);
  for (const Driver *driver : allDrivers())
    for (const OwnKnob &knob : driver->knobs) {
      std::string left =
          std::string("  --") + driver->name + " --" + knob.name + "=...";
      left.resize(std::max<size_t>(left.size() + 2, 40), ' ');
      text += left + knob.help + "\n";
    }
  return text;
}
