// The table of requests (rows of Knobs.def), and an engine's answer to them:
// assay_plugin_describe returns JSON with the name of the implementation and
// the keys of the requests that it followed. An engine without that function
// follows none.
#include "assay/verify/Requests.h"
#include "assay/support/Json.h"
#include "assay/support/Random.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static llvm::Expected<std::string>
oneOf(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> known) {
  std::string lower = text.lower();
  if (llvm::is_contained(known, lower))
    return lower;
  return makeError(ErrorCode::InvalidArgument, "'{0}' is unknown; expected {1}",
                   text, llvm::join(known, ", "));
}

static llvm::Expected<std::string> readTruth(llvm::StringRef text) {
  std::string lower = text.lower();
  if (lower == "1" || lower == "true")
    return "true";
  if (lower == "0" || lower == "false")
    return "false";
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a truth value; expected true or false", text);
}

static llvm::Expected<std::string> readScratchpad(llvm::StringRef text) {
  return oneOf(text, {"library", "user"});
}

static llvm::Expected<std::string> readAccumulation(llvm::StringRef text) {
  return oneOf(text, {"strict", "relaxed", "any", "f32", "s32", "f16"});
}

static llvm::Expected<std::string> readIsaHints(llvm::StringRef text) {
  return oneOf(text, {"none", "no_hints", "prefer_ymm"});
}

static llvm::Expected<std::string> readMathMode(llvm::StringRef text) {
  auto [mode, integers] = text.split(':');
  llvm::Expected<std::string> name =
      oneOf(mode, {"strict", "bf16", "f16", "tf32", "any"});
  if (!name || !text.contains(':'))
    return name;
  llvm::Expected<std::string> truth = readTruth(integers);
  if (!truth)
    return truth.takeError();
  return *truth == "true" ? *name + ":true" : *name;
}

static llvm::Expected<std::string> readNames(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  text.split(names, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef name : names)
    if (!llvm::all_of(name, [](char c) {
          return llvm::isAlnum(c) || llvm::StringRef("_:-.").contains(c);
        }))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' is not a name of an implementation; expected names "
                       "without spaces, separated by commas",
                       name);
  return llvm::join(names, ",");
}

static bool readMask(llvm::StringRef text, int64_t &mask) {
  mask = 0;
  return text.empty() ||
         (!text.getAsInteger(10, mask) && mask >= 0 && mask < 4096);
}

static llvm::Expected<std::string> readRuntimeMasks(llvm::StringRef text) {
  auto [src, wei] = text.split(':');
  int64_t first = 0, second = 0;
  if (!readMask(src, first) || !readMask(wei, second))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is not a pair of masks SRC:WEI; dimensions are bits 0 "
                     "to 11",
                     text);
  return std::to_string(first) + ":" + std::to_string(second);
}

/// ENCODING[+SPARSITY] of src, wei and dst.
static llvm::Expected<std::string> readEncodings(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 3> tensors;
  text.split(tensors, ':');
  bool good = tensors.size() == 3;
  for (llvm::StringRef tensor : tensors) {
    auto [name, sparsity] = tensor.split('+');
    double share = 0;
    good &= name.empty() || name == "csr" || name == "coo" || name == "packed";
    good &= sparsity.empty() ||
            (!sparsity.getAsDouble(share) && share >= 0 && share <= 1);
  }
  if (good)
    return llvm::all_of(tensors, [](llvm::StringRef t) { return t.empty(); })
               ? std::string()
               : text.str();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a SRC:WEI:DST of csr, coo or packed, each with "
                   "an optional +SPARSITY from 0 to 1",
                   text);
}

/// DIM:COUNT:SIZES[:MAX].
static llvm::Expected<std::string> readGroups(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 4> fields;
  llvm::SmallVector<llvm::StringRef, 64> sizes;
  text.split(fields, ':');
  int64_t count = 0, size = 0;
  bool good = (fields.size() == 3 || fields.size() == 4) &&
              (fields[0] == "0" || fields[0] == "1") &&
              !fields[1].getAsInteger(10, count);
  if (good)
    fields[2].split(sizes, '+');
  good &= count > 0 && static_cast<int64_t>(sizes.size()) == count;
  for (llvm::StringRef one : sizes)
    good &= !one.getAsInteger(10, size) && size >= 0 && size < int64_t(1) << 40;
  if (good)
    return text.str();
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a DIM:COUNT:SIZES[:MAX] with DIM 0 or 1 and as "
                   "many sizes, joined by '+', as groups",
                   text);
}

/// ARG:POLICY:TYPE:GROUPS, joined by '+'.
static llvm::Expected<std::string> readReductions(llvm::StringRef text) {
  llvm::Expected<std::vector<ArgumentValue>> entries =
      parseArgumentValues(text, /*isScale=*/false);
  if (!entries)
    return entries.takeError();
  for (const ArgumentValue &entry : *entries)
    if (entry.groups.empty())
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' has no groups; expected ARG:POLICY:TYPE:GROUPS",
                       text);
  return text.str();
}

static constexpr const char *kNoNames = "the engine has no names of "
                                        "implementations: accepted";
static constexpr const char *kHint =
    "a hint that changes no result: accepted, not passed to the engine";

static constexpr RequestKnob kRequests[] = {
#define ASSAY_REQUEST_KNOB(name, byDefault, list, read, argument, help,        \
                           untaken)                                            \
  {name, byDefault, list, false, read, argument, help, untaken},
#define ASSAY_REQUEST_RUN_KNOB(name, byDefault, read, argument, help, untaken) \
  {name, byDefault, false, true, read, argument, help, untaken},
#include "assay/verify/Knobs.def"
};

llvm::ArrayRef<RequestKnob> verify::requestKnobs() { return kRequests; }

const RequestKnob *verify::findRequest(llvm::StringRef name) {
  for (const RequestKnob &row : kRequests)
    if (name == row.name)
      return &row;
  return nullptr;
}

std::string verify::untakenText(llvm::StringRef knob) {
  if (const RequestKnob *row = findRequest(knob))
    return "--" + knob.str() + ", " + row->untaken;
  return knob == "formats" ? "blocked memory formats, the engine was given the "
                             "tensors row-major"
                           : "--" + knob.str() +
                                 ", a blocked memory format: the engine was "
                                 "given the tensor row-major";
}

std::string verify::requestKey(llvm::StringRef name) {
  name.consume_front("attr-");
  name.consume_front("global-");
  std::string key = name.str();
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

static llvm::StringRef valueOf(const Problem &problem, const char *name) {
  auto found = problem.requests.find(name);
  return found == problem.requests.end() ? llvm::StringRef() : found->second;
}

ElementType verify::roundedFactors(const Problem &problem) {
  llvm::StringRef mode = valueOf(problem, "attr-fpmath").split(':').first;
  if (mode == "bf16" || mode == "any")
    return types::BF16;
  // tf32 has as many digits as f16, and a larger range.
  return mode == "f16" || mode == "tf32" ? types::F16 : types::None;
}

double verify::allowedAccumulator(const Problem &problem) {
  llvm::StringRef mode = valueOf(problem, "attr-acc-mode");
  if (mode == "f16")
    return judge::unitRoundoff(types::F16);
  if (mode != "relaxed" && mode != "any")
    return 0;
  double unit = 0; // the coarsest unit of the problem's narrow float types
  for (ElementType type : problem.types)
    if (type.isFloat() && type.bits < 32)
      unit = std::max(unit, judge::unitRoundoff(type));
  return unit;
}

std::array<int64_t, 2> verify::runtimeMasks(const Problem &problem) {
  auto [src, wei] = valueOf(problem, "runtime_dims_masks").split(':');
  std::array<int64_t, 2> masks{0, 0};
  readMask(src, masks[0]);
  readMask(wei, masks[1]);
  return masks;
}

/// All requests of the problem: filters of the run replace its own.
static std::map<std::string, std::string> requestsOf(const Problem &problem) {
  std::map<std::string, std::string> all = problem.requests;
  if (!problem.options)
    return all;
  const auto &run = problem.options->requests;
  if (run.count("global-impl") || run.count("global-skip-impl")) {
    all.erase("impl");
    all.erase("skip-impl");
  }
  all.insert(run.begin(), run.end());
  return all;
}

void verify::thinOut(const Problem &problem, const judge::Slot &slot,
                     uint64_t seed, float *values) {
  llvm::SmallVector<llvm::StringRef, 3> tensors;
  valueOf(problem, "encoding").split(tensors, ':');
  int which = slot.role == "src" ? 0 : slot.role == "wei" ? 1 : -1;
  double share = 0;
  if (which < 0 || tensors.size() != 3 ||
      tensors[which].split('+').second.getAsDouble(share) || share <= 0)
    return;
  CounterRandom random(seed, 0x5ba65e + which);
  for (int64_t i = 0; i < slot.elements(); ++i)
    if (random.uniform(static_cast<uint64_t>(i)) < share)
      values[i] = 0;
}

void verify::addRequests(const Problem &problem, llvm::json::Object &json) {
  for (const auto &[name, value] : requestsOf(problem))
    json[requestKey(name)] = value;
}

static bool containsOne(llvm::StringRef name, llvm::StringRef parts) {
  llvm::SmallVector<llvm::StringRef, 4> list;
  parts.split(list, ',', -1, /*KeepEmpty=*/false);
  return llvm::any_of(
      list, [&](llvm::StringRef part) { return name.contains(part); });
}

/// Why the filters rule the implementation out, or empty.
static std::string ruledOut(llvm::StringRef request, llvm::StringRef value,
                            llvm::StringRef implementation) {
  bool named = containsOne(implementation, value);
  if ((request == "impl" && named) || (request == "skip_impl" && !named))
    return {};
  return llvm::formatv("the engine's implementation '{0}' {1} --{2}={3}",
                       implementation,
                       named ? "is skipped by" : "is not one of",
                       request == "impl" ? "impl" : "skip-impl", value)
      .str();
}

/// An engine's description of its kernel; empty: none, or unreadable.
static llvm::json::Object saidBy(const engine::WorkerResult &created) {
  llvm::Expected<llvm::json::Value> said = parseJson(created.report);
  if (!said) {
    llvm::consumeError(said.takeError());
    return {};
  }
  llvm::json::Object *object = said->getAsObject();
  return object ? std::move(*object) : llvm::json::Object();
}

/// A list of words in the description.
static llvm::SmallVector<std::string, 4> listed(const llvm::json::Object &said,
                                                llvm::StringRef name) {
  llvm::SmallVector<std::string, 4> words;
  if (const llvm::json::Array *list = said.getArray(name))
    for (const llvm::json::Value &word : *list)
      words.push_back(word.getAsString().value_or("").str());
  return words;
}

judge::KeptNumbers verify::keptNumbers(const engine::WorkerResult &created) {
  return judge::keptBut(listed(saidBy(created), "not_kept"));
}

bool verify::readTaken(const Problem &problem,
                       const engine::WorkerResult &created, Outcome &outcome) {
  llvm::json::Object said = saidBy(created);
  auto taken = listed(said, "taken");
  std::string implementation =
      said.getString("implementation").value_or("").str();
  if (!implementation.empty())
    outcome.facts["implementation"] = implementation;
  static constexpr const char *kTags[] = {"stag", "wtag", "dtag"};
  for (int i = 0; problem.driver->contraction && i < 3; ++i) {
    llvm::StringRef tag = problem.tags[i];
    bool isBlocked = tag != "any" && tag != "undef" &&
                     problem.strides[i].empty() &&
                     llvm::any_of(tag, llvm::isDigit);
    if (isBlocked && !llvm::is_contained(taken, kTags[i]))
      outcome.untaken.push_back(kTags[i]);
  }
  for (const auto &[name, value] : requestsOf(problem)) {
    std::string key = requestKey(name);
    if (llvm::is_contained(taken, key))
      continue;
    bool isFilter = key == "impl" || key == "skip_impl",
         isCheck = key == "check_ref_impl";
    if (implementation.empty() || (!isFilter && !isCheck)) {
      outcome.untaken.push_back(name);
      continue;
    }
    if (isCheck && llvm::StringRef(implementation).contains("ref")) {
      outcome.status = Status::Failed;
      outcome.reason =
          "a reference implementation was chosen: " + implementation +
          " (--check-ref-impl)";
      return false;
    }
    if (std::string why =
            isFilter ? ruledOut(key, value, implementation) : std::string();
        !why.empty()) {
      outcome.status = Status::Skipped;
      outcome.reason = std::move(why);
      return false;
    }
  }
  return true;
}
