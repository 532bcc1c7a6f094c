// Templates are split at '%': the text between two of them is a field, the rest
// is copied. Source of the fields and their modifiers: benchdnn's
// doc/knobs_perf_report.md.
#include "assay/verify/PerfTemplate.h"
#include "assay/verify/Driver.h"
#include "assay/verify/Options.h"

#include <algorithm>

using namespace assay;
using namespace assay::verify;

static constexpr const char *kDefault =
    "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%"
    "0time%,%0Gflops%";
static constexpr const char *kCsv =
    "perf,%engine%,%impl%,%name%,%dir%,%sdt%,%bia_dt%,%stag%,%wtag%,%dtag%,%"
    "alg%,%attr%,%desc%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
static constexpr const char *kFields =
    "alg attr bia_dt bw ctime desc dir driver dtag engine flops ibytes idx "
    "impl iobytes mb name obytes ops prb "
    "sdt stag time wtag";

llvm::StringRef verify::perfTemplateText(llvm::StringRef name) {
  return name.empty() || name == "def" ? llvm::StringRef(kDefault)
         : name == "csv"               ? llvm::StringRef(kCsv)
                                       : name;
}

namespace {
/// One %field%, parsed.
struct Field {
  llvm::StringRef name;
  char time = '-';
  double unit = 1;
  char unitLetter = 0;

  explicit Field(llvm::StringRef text) : name(text) {
    if (!name.empty() && llvm::StringRef("-0+").contains(name[0])) {
      time = name[0];
      name = name.drop_front();
    }
    if (name.size() > 1 && llvm::StringRef("KMG").contains(name[0])) {
      unitLetter = name[0];
      unit = unitLetter == 'K' ? 1e3 : unitLetter == 'M' ? 1e6 : 1e9;
      name = name.drop_front();
    }
  }
  double pick(llvm::ArrayRef<double> seconds) const {
    if (time == '-')
      return *std::min_element(seconds.begin(), seconds.end());
    if (time == '+')
      return *std::max_element(seconds.begin(), seconds.end());
    double sum = 0;
    for (double s : seconds)
      sum += s;
    return sum / static_cast<double>(seconds.size());
  }
};
} // namespace

static std::optional<double> numberOf(const Field &field, const PerfFacts &f) {
  double seconds = field.pick(f.seconds), ops = f.problem->operations();
  llvm::StringRef name = field.name;
  if (name == "time")
    return seconds * 1e3;
  if (name == "ctime")
    return f.createSeconds * 1e3;
  if (name == "ops")
    return ops;
  if (name == "flops")
    return ops / seconds;
  if (name == "bw")
    return (f.inputBytes + f.outputBytes) / seconds;
  if (name == "ibytes")
    return f.inputBytes;
  if (name == "obytes")
    return f.outputBytes;
  if (name == "iobytes")
    return f.inputBytes + f.outputBytes;
  return std::nullopt;
}

static std::optional<std::string> textOf(llvm::StringRef name,
                                         const PerfFacts &f) {
  const Problem &p = *f.problem;
  if (name == "impl" && !f.implementation.empty())
    return f.implementation;
  if (name == "engine" || name == "impl")
    return p.options->engine;
  // A driver's own words take precedence over shared ones.
  if (name == "dir" || name == "sdt" || name == "stag" || name == "dtag" ||
      name == "alg")
    for (const OwnKnob &row : p.driver->knobs)
      if (name == row.name)
        return p.knob(row.name).str();
  if (name == "driver")
    return p.driver->name;
  if (name == "name")
    return "\"" +
           (p.driver->readsFile ? p.name
                                : llvm::StringRef(p.name).trim('"').str()) +
           "\"";
  if (name == "prb")
    return p.repro;
  if (name == "desc")
    return descriptorText(p);
  if (name == "idx")
    return std::to_string(f.index);
  if (name == "dir")
    return p.driver->hasDirections ? nameOf(p.direction) : "undef";
  if (name == "mb")
    return std::to_string(p.driver->hasDirections ? p.descriptor.mb : 0);
  if (name == "sdt")
    return std::string(nameOf(p.types[0])) + ":" + nameOf(p.types[1]) + ":" +
           nameOf(p.types[2]);
  if (name == "bia_dt")
    return nameOf(p.biasType);
  if (name == "stag" || name == "wtag" || name == "dtag")
    return p.tags[name == "stag" ? 0 : name == "wtag" ? 1 : 2];
  if (name == "alg")
    return toString(p.algorithm);
  if (name == "attr") {
    std::string text;
    auto add = [&](const char *knob, const std::string &value, bool given) {
      text +=
          given ? std::string(text.empty() ? "--" : " --") + knob + "=" + value
                : "";
    };
    add("attr-scales", toText(p.attributes.scales, true),
        !p.attributes.scales.empty());
    add("attr-zero-points", toText(p.attributes.zeroPoints, false),
        !p.attributes.zeroPoints.empty());
    add("attr-post-ops", toText(p.attributes.postOps),
        !p.attributes.postOps.empty());
    add("attr-rounding-mode", "dst:stochastic", p.attributes.isStochastic);
    return text;
  }
  return std::nullopt;
}

/// Calls `print` with each field; copies the rest to the result.
template <typename Print>
static llvm::Expected<std::string> expand(llvm::StringRef text, Print print) {
  std::string out;
  while (true) {
    auto [before, rest] = text.split('%');
    out += before;
    if (before.size() == text.size())
      return out;
    if (!rest.contains('%'))
      return makeError(ErrorCode::InvalidArgument,
                       "'%{0}' has no closing '%'", rest);
    auto [field, tail] = rest.split('%');
    std::optional<std::string> value = print(Field(field));
    if (!value)
      return makeError(ErrorCode::InvalidArgument,
                       "'%{0}%' is not a field; there are {1}, "
                       "with - 0 + and K M G in front",
                       field, kFields);
    out += *value;
    text = tail;
  }
}

llvm::Expected<std::string> verify::applyPerfTemplate(llvm::StringRef text,
                                                      const PerfFacts &facts) {
  return expand(text, [&](const Field &field) -> std::optional<std::string> {
    if (std::optional<double> number = numberOf(field, facts))
      return llvm::formatv("{0}", llvm::formatv("{0:f6}", *number / field.unit))
          .str();
    return textOf(field.name, facts);
  });
}

llvm::Expected<std::string> verify::perfHeader(llvm::StringRef text) {
  return expand(text, [&](const Field &field) -> std::optional<std::string> {
    bool known = false;
    llvm::SmallVector<llvm::StringRef, 32> names;
    llvm::StringRef(kFields).split(names, ' ');
    for (llvm::StringRef name : names)
      known |= name == field.name;
    if (!known)
      return std::nullopt;
    bool timed = field.name == "time" || field.name == "flops" ||
                 field.name == "bw" || field.name == "ctime";
    std::string prefix = !timed              ? ""
                         : field.time == '-' ? "min_"
                         : field.time == '0' ? "avg_"
                                             : "max_";
    return prefix + (field.unitLetter ? std::string(1, field.unitLetter) : "") +
           field.name.str();
  });
}
