// Names of tolerance rules, the constants of `dtype`, and rule sets from JSON.
// RulesJudge.cpp does the judging; docs/rules.md has the formulas and the
// reasons for every constant.
#include "assay/numerics/Rules.h"
#include "assay/numerics/FloatFormats.h"
#include "assay/numerics/Text.h"
#include "assay/support/Error.h"
#include "assay/support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

#include <cmath>

namespace assay::numerics {

namespace {
struct RuleRow {
  const char *name;
  RuleKind kind;
  int parameters;   ///< how many numbers may follow the colon
  int required;     ///< how many numbers must follow it
  double a;         ///< default of the first number
  const char *help; ///< syntax, for messages
};
} // namespace

static constexpr RuleRow kRules[] = {
    {"bound", RuleKind::Bound, 0, 0, 0, "bound"},
    {"dtype", RuleKind::Dtype, 1, 0, 1, "dtype[:FACTOR]"},
    {"shadow", RuleKind::Shadow, 1, 0, 8, "shadow[:FACTOR]"},
    {"ulp", RuleKind::Ulp, 1, 1, 0, "ulp:N"},
    {"close", RuleKind::Close, 2, 2, 0, "close:RTOL,ATOL"},
    {"exact", RuleKind::Exact, 0, 0, 0, "exact"},
    {"benchdnn", RuleKind::Benchdnn, 1, 0, 0, "benchdnn[:THRESHOLD]"},
    {"xray", RuleKind::Xray, 1, 0, 1e-2, "xray[:MAXERR]"},
    {"stablehlo", RuleKind::Stablehlo, 1, 0, 1e-4, "stablehlo[:TOLERANCE]"},
};

static const RuleRow &rowOf(RuleKind kind) {
  return kRules[static_cast<size_t>(kind)];
}

static llvm::Error badRule(llvm::StringRef text) {
  std::string names;
  for (const RuleRow &row : kRules)
    names += (names.empty() ? "" : ", ") + std::string(row.help);
  return makeError(ErrorCode::InvalidArgument,
                   "'{0}' is not a rule: expected one of {1}, or a JSON file",
                   text, names);
}

llvm::Expected<Rule> Rule::parse(llvm::StringRef text) {
  auto [name, arguments] = text.trim().split(':');
  for (const RuleRow &row : kRules) {
    if (name != row.name)
      continue;
    llvm::SmallVector<llvm::StringRef, 2> words;
    if (!arguments.empty())
      arguments.split(words, ',');
    double values[2] = {row.a, 0};
    auto count = static_cast<int>(words.size());
    if (count > row.parameters || count < row.required ||
        (text.contains(':') && count == 0))
      return badRule(text);
    for (int i = 0; i < count; ++i)
      if (words[i].trim().getAsDouble(values[i]) || !(values[i] >= 0) ||
          std::isinf(values[i]))
        return makeError(
            ErrorCode::InvalidArgument,
            "rule '{0}': '{1}' is not a number of at least 0 ({2})", text,
            words[i], row.help);
    return Rule(row.kind, values[0], values[1]);
  }
  return badRule(text);
}

Rule Rule::dtype() { return {RuleKind::Dtype, 1}; }
Rule Rule::exact() { return {RuleKind::Exact}; }
Rule Rule::ulp(uint64_t distance) {
  return {RuleKind::Ulp, static_cast<double>(distance)};
}
Rule Rule::close(double rtol, double atol) {
  return {RuleKind::Close, rtol, atol};
}
Rule Rule::bound() { return {RuleKind::Bound}; }

std::string Rule::name() const {
  const RuleRow &row = rowOf(kind_);
  if (kind_ == RuleKind::Close)
    return std::string("close:") + printDouble(a_) + "," + printDouble(b_);
  if (row.required == 1 || a_ != row.a)
    return std::string(row.name) + ":" + printDouble(a_);
  return row.name;
}

double dtypeConstant(ElementType type) {
  if (!type.isFloat() && !type.isComplex())
    return 0;
  switch (type.format) {
  case FloatFormat::F32:
    return 5e-5;
  case FloatFormat::F64:
  case FloatFormat::F128:
    return 1e-9;
  case FloatFormat::F16:
  case FloatFormat::BF16: // two to four ULP of the element, and as much of a
                          // typical element
    return std::ldexp(1.0, 1 - formatInfo(type.format).mantissaBits);
  default: // one ULP of the element: with more, too few 8-bit numbers would be
           // wrong
    return std::ldexp(1.0, -formatInfo(type.format).mantissaBits);
  }
}

//===--- Rule sets
//-----------------------------------------------------------------------------------------------===//

llvm::Expected<RuleSet> RuleSet::fromJson(const llvm::json::Value &json) {
  const llvm::json::Object *root = json.getAsObject();
  if (!root)
    return makeError(
        ErrorCode::InvalidArgument,
        "a rule file holds a JSON object with \"default\" and \"rules\"");
  RuleSet set(Rule::dtype());
  for (const auto &[key, value] : *root)
    if (llvm::StringRef(key) != "default" && llvm::StringRef(key) != "rules")
      return makeError(ErrorCode::InvalidArgument,
                       "unknown key '{0}': expected default or rules",
                       llvm::StringRef(key));
  if (std::optional<llvm::StringRef> text = root->getString("default")) {
    llvm::Expected<Rule> rule = Rule::parse(*text);
    if (!rule)
      return addContext(rule.takeError(), "\"default\"");
    set.default_ = *rule;
  }
  const llvm::json::Array *rules = root->getArray("rules");
  for (size_t i = 0; rules && i < rules->size(); ++i) {
    std::string where = "rules[" + std::to_string(i) + "]";
    const llvm::json::Object *entry = (*rules)[i].getAsObject();
    std::optional<llvm::StringRef> text =
        entry ? entry->getString("rule") : std::nullopt;
    if (!text)
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: expected an object with a \"rule\"", where);
    llvm::Expected<Rule> rule = Rule::parse(*text);
    if (!rule)
      return addContext(rule.takeError(), where);
    std::string match = entry->getString("match").value_or("").str();
    std::string dtype = entry->getString("dtype").value_or("").str(), why;
    if (!match.empty() && !llvm::Regex(match).isValid(why))
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: \"match\" is not a regular expression: {1}", where,
                       why);
    if (!dtype.empty() && !parseElementType(dtype))
      return makeError(ErrorCode::InvalidArgument,
                       "{0}: '{1}' is not an element type (f32, bf16, i8, ...)",
                       where, dtype);
    set.entries_.push_back({match, dtype, *rule});
  }
  return set;
}

llvm::Expected<RuleSet> RuleSet::parse(llvm::StringRef nameOrPath) {
  if (!nameOrPath.ends_with(".json")) {
    llvm::Expected<Rule> rule = Rule::parse(nameOrPath);
    if (rule)
      return RuleSet(*rule);
    if (!llvm::sys::fs::exists(nameOrPath))
      return rule.takeError();
    llvm::consumeError(rule.takeError());
  }
  auto buffer = llvm::MemoryBuffer::getFile(nameOrPath);
  if (!buffer)
    return makeError(ErrorCode::NotFound,
                     "cannot read the rule file '{0}': {1}", nameOrPath,
                     buffer.getError().message());
  llvm::Expected<llvm::json::Value> json = parseJson((*buffer)->getBuffer());
  if (!json)
    return makeError(ErrorCode::InvalidArgument,
                     "rule file '{0}' is not JSON: {1}", nameOrPath,
                     llvm::toString(json.takeError()));
  llvm::Expected<RuleSet> set = fromJson(*json);
  if (!set)
    return addContext(set.takeError(), "rule file '" + nameOrPath + "'");
  return set;
}

const Rule &RuleSet::ruleFor(llvm::StringRef tensorName,
                             ElementType type) const {
  std::string dtype = toString(type);
  for (const Entry &entry : entries_)
    if ((entry.dtype.empty() || entry.dtype == dtype) &&
        (entry.match.empty() || llvm::Regex(entry.match).match(tensorName)))
      return entry.rule;
  return default_;
}

std::string RuleSet::name() const {
  if (entries_.empty())
    return default_.name();
  return default_.name() + " + " + std::to_string(entries_.size()) + " entries";
}

bool RuleSet::uses(RuleKind kind) const {
  return default_.kind() == kind ||
         llvm::any_of(entries_, [kind](const Entry &entry) {
           return entry.rule.kind() == kind;
         });
}

RuleSet RuleSet::replaced(RuleKind kind, Rule other) const {
  RuleSet set = *this;
  if (set.default_.kind() == kind)
    set.default_ = other;
  for (Entry &entry : set.entries_)
    if (entry.rule.kind() == kind)
      entry.rule = other;
  return set;
}

} // namespace assay::numerics
