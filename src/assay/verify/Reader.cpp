// The state machine of the grammar. A word is a driver ("--matmul"), a knob
// ("--dt=bf16"), a batch file or a problem. A batch file holds the same words;
// it may name further files, which also change the knobs for the rest of the
// outer file (as in benchdnn). --match filters by the repro line, problem by
// problem.
#include "assay/verify/Reader.h"
#include "assay/support/ByteOrderMark.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <regex.h>

using namespace assay;
using namespace assay::verify;

static constexpr size_t kDeepestNesting = 32;

/// The first word of a text, and its number of characters. Single quotes are
/// read as by a shell, so that a repro line has the same words in both; an
/// unmatched one is an ordinary character.
static std::pair<std::string, size_t> nextWord(llvm::StringRef text) {
  std::string word;
  size_t at = 0;
  while (at < text.size() && !llvm::isSpace(text[at])) {
    size_t end =
        text[at] == '\'' ? text.find('\'', at + 1) : llvm::StringRef::npos;
    if (end != llvm::StringRef::npos) {
      word += text.slice(at + 1, end).str();
      at = end + 1;
    } else if (text.substr(at).starts_with("\\'")) {
      word += '\'';
      at += 2;
    } else {
      word += text[at++];
    }
  }
  return {word, at};
}

std::vector<BatchWord> verify::batchWords(llvm::StringRef text) {
  std::vector<BatchWord> words;
  text = withoutByteOrderMark(text);
  bool glue = false;
  int64_t line = 1;
  while (true) {
    llvm::StringRef space =
        text.take_while([](char c) { return llvm::isSpace(c); });
    line += static_cast<int64_t>(space.count('\n'));
    text = text.drop_front(space.size());
    if (text.empty())
      return words;
    if (text.front() == '#') {
      text = text.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    auto [word, length] = nextWord(text);
    text = text.drop_front(length);
    bool continues = llvm::StringRef(word).ends_with("\\");
    if (continues)
      word.pop_back();
    if (glue && !words.empty())
      words.back().text += word;
    else if (!word.empty() || !continues)
      words.push_back({word, line});
    glue = continues && (glue || !words.empty());
  }
}

llvm::Error Reader::readArguments(llvm::ArrayRef<const char *> given) {
  // In other commands "--engine E", "--input ROLE=FILE" and "--entry NAME" are
  // two words; here they are joined to one.
  std::vector<std::string> joined;
  for (const char *word : given)
    if (!joined.empty() &&
        (joined.back() == "--engine" || joined.back() == "--input" ||
         joined.back() == "--entry"))
      joined.back() += std::string("=") + word;
    else
      joined.push_back(word);
  std::vector<const char *> words;
  for (const std::string &word : joined)
    words.push_back(word.c_str());
  // A knob after the last problem applies to nothing.
  size_t last = 0;
  for (size_t i = 0; i < words.size(); ++i)
    if (llvm::StringRef word = words[i];
        !word.starts_with("-") || word.starts_with("--batch="))
      last = i + 1;
  for (size_t i = last; last > 0 && i < words.size(); ++i)
    if (mayTrail(words[i]))
      if (llvm::Error error = readWord(words[i]))
        return error;
  for (size_t i = last; i < words.size(); ++i)
    if (last > 0 && !isRunWide(words[i]) && !mayTrail(words[i]) &&
        !findDriver(llvm::StringRef(words[i]).drop_front(
            std::min<size_t>(2, strlen(words[i])))))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' comes after the last problem and applies to "
                       "nothing; put it before the problem",
                       words[i]);
  for (const char *word : words)
    if (llvm::Error error = readWord(word))
      return error;
  return llvm::Error::success();
}

/// "--matmul, --conv, ...".
static std::string driverNames() {
  std::string text;
  for (const Driver *driver : allDrivers())
    text += (text.empty() ? "--" : ", --") + std::string(driver->name);
  return text;
}

/// Whether the text is one line of UTF-8: reports are JSON, and a command in
/// them is one line.
static bool isOneLine(llvm::StringRef text) {
  return llvm::json::isUTF8(text) && llvm::none_of(text, [](unsigned char c) {
           return c < ' ' || c == 0x7f;
         });
}

/// The error for a knob that the driver lacks; it names the drivers that have
/// it.
llvm::Error Reader::lacking(llvm::StringRef word) const {
  llvm::StringRef knob = word.take_until([](char c) { return c == '='; });
  std::string having;
  for (const Driver *driver : allDrivers()) {
    Settings settings = settings_;
    llvm::Expected<KnobResult> result = applyKnob(word, driver, settings);
    if (!result)
      llvm::consumeError(result.takeError());
    else if (*result != KnobResult::Lacking)
      having += (having.empty() ? "--" : " --") + std::string(driver->name);
  }
  if (having.empty())
    return makeError(ErrorCode::Unsupported,
                     "benchdnn's knob '{0}' is not available in assay", knob);
  if (!driver_)
    return makeError(ErrorCode::InvalidArgument,
                     "knob '{0}' comes before its driver; put it after one of "
                     "{1}",
                     knob, having);
  return makeError(ErrorCode::Unsupported,
                   "--{0} has no knob '{1}'; these have it: {2}", driver_->name,
                   knob, having);
}

llvm::Error Reader::readWord(llvm::StringRef word) {
  if (word.empty())
    return llvm::Error::success();
  if (word.starts_with("--batch="))
    return readBatch(word.drop_front(8));
  if (word.starts_with("-")) {
    if (!isOneLine(word))
      return makeError(ErrorCode::InvalidArgument,
                       "'{0}' is not UTF-8 text of one line",
                       llvm::json::fixUTF8(word));
    if (const Driver *found =
            findDriver(word.drop_front(std::min<size_t>(2, word.size())))) {
      driver_ = found;
      settings_.problem = ProblemKnobs();
      // A driver starts from the defaults, but knobs before it apply to the
      // problems after it, like any other knob.
      for (const std::string &knob : pending_)
        if (llvm::Error error = applyKnob(knob, found, settings_).takeError())
          return error;
      return llvm::Error::success();
    }
    llvm::Expected<KnobResult> result = applyKnob(word, driver_, settings_);
    if (!result)
      return result.takeError();
    options_.reset();
    pending_.push_back(word.str());
    if (*result == KnobResult::Lacking && openFiles_.empty())
      return lacking(word);
    return llvm::Error::success();
  }
  if (!driver_ && findDriver(word))
    return makeError(ErrorCode::InvalidArgument,
                     "'{0}' is a driver: write --{0}", word);
  if (!driver_)
    return makeError(ErrorCode::InvalidArgument,
                     "problem '{0}' comes before a driver; start with one of "
                     "{1}",
                     word, driverNames());
  pending_.clear();
  return expand(word);
}

llvm::Expected<std::string> Reader::locate(llvm::StringRef name) {
  if (llvm::sys::fs::exists(name))
    return name.str();
  llvm::SmallString<256> path;
  for (const std::string &folder : folders_)
    for (llvm::StringRef sub :
         {llvm::StringRef(), llvm::StringRef(driver_ ? driver_->name : "")}) {
      path = folder;
      llvm::sys::path::append(path, sub, name);
      if (llvm::sys::fs::exists(path))
        return path.str().str();
    }
  return makeError(ErrorCode::NotFound,
                   "batch file '{0}' is neither here nor in the input folders",
                   name);
}

llvm::Error Reader::readBatch(llvm::StringRef name) {
  llvm::Expected<std::string> path = locate(name);
  if (!path)
    return path.takeError();
  if (openFiles_.size() >= kDeepestNesting ||
      llvm::is_contained(openFiles_, *path))
    return makeError(ErrorCode::InvalidArgument,
                     "batch file '{0}' includes itself", *path);
  auto buffer = llvm::MemoryBuffer::getFile(*path, /*IsText=*/true);
  if (!buffer)
    return makeError(ErrorCode::NotFound, "cannot read batch file '{0}': {1}",
                     *path, buffer.getError().message());
  if ((*buffer)->getBuffer().contains('\0'))
    return makeError(ErrorCode::InvalidArgument,
                     "batch file '{0}' is not a text (it has bytes of 0)", *path);
  std::string folder = llvm::sys::path::parent_path(*path).str();
  if (folder.empty())
    folder = ".";
  if (!llvm::is_contained(folders_, folder))
    folders_.push_back(folder);
  openFiles_.push_back(*path);
  size_t depth = openFiles_.size();
  for (const BatchWord &word : batchWords((*buffer)->getBuffer())) {
    place_ = *path + ":" + std::to_string(word.line);
    if (llvm::Error error = readWord(word.text)) {
      // Only the innermost file is named; an error of the sink (an
      // interruption) is not the file's.
      bool mine = openFiles_.size() == depth && !fromSink_;
      openFiles_.push_back("");
      return mine ? addContext(std::move(error),
                               *path + ":" + std::to_string(word.line))
                  : std::move(error);
    }
  }
  place_.clear();
  openFiles_.pop_back();
  return llvm::Error::success();
}

/// Whether a POSIX basic regular expression matches anywhere.
static llvm::Expected<bool> matches(const std::string &pattern,
                                    const std::string &text) {
  regex_t regex;
  if (int code = regcomp(&regex, pattern.c_str(), REG_NOSUB)) {
    char why[128];
    regerror(code, &regex, why, sizeof why);
    return makeError(ErrorCode::InvalidArgument,
                     "--match: '{0}' is not a regular expression: {1}", pattern,
                     why);
  }
  bool found = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
  regfree(&regex);
  return found;
}

namespace {
/// Steps through all combinations of the lists' values; the last list varies
/// fastest.
class Odometer {
public:
  /// Returns the number of the list.
  size_t add(size_t size) {
    sizes_.push_back(size);
    at_.push_back(0);
    return sizes_.size() - 1;
  }
  size_t operator[](size_t list) const { return at_[list]; }
  bool next() {
    for (size_t i = sizes_.size(); i-- > 0;) {
      if (++at_[i] < sizes_[i])
        return true;
      at_[i] = 0;
    }
    return false;
  }

private:
  std::vector<size_t> sizes_, at_;
};
} // namespace

/// Refuses knobs that a driver does not have: they would be ignored.
static void checkForeignKnobs(Problem &p, const ProblemKnobs &k) {
  const ProblemKnobs byDefault;
  const Driver &d = *p.driver;
  auto missing = [&](llvm::StringRef knob) {
    bool isPair = llvm::any_of(d.knobs, [](const OwnKnob &row) {
      return row.name == llvm::StringRef("sdt");
    });
    return knob == "dt" && isPair ? "it has --sdt and --ddt"
                                  : "it has no such knob";
  };
  auto refuse = [&](const char *knob, bool applies, bool isDefault,
                    const char *why) {
    if (!applies && !isDefault && p.invalid.empty())
      p.invalid = llvm::formatv("--{0} does not apply to driver {1}: {2}", knob,
                                d.name, d.readsFile ? why : missing(knob));
  };
  const char *types = "the program states its types",
             *gradient = "a gradient is a program of its own",
             *bias = "a bias is an argument of the program",
             *dense = "programs have row-major tensors",
             *computes = "the program states what it computes";
  refuse("dt", d.hasTypes, k.types == byDefault.types, types);
  refuse("dir", d.hasDirections, k.directions == byDefault.directions,
         gradient);
  refuse("bia-dt", d.hasBias, k.biasTypes == byDefault.biasTypes, bias);
  refuse("bia_mask", d.hasBias, k.biasMasks == byDefault.biasMasks, bias);
  refuse("stag", d.hasTags, k.srcTags == byDefault.srcTags, dense);
  refuse("wtag", d.hasTags, k.weiTags == byDefault.weiTags, dense);
  refuse("dtag", d.hasTags, k.dstTags == byDefault.dstTags, dense);
  // conv and similar drivers share one batch file with drivers that take more knobs
  bool strided = d.hasStrides || d.hasTags;
  refuse("strides", strided, k.strides == byDefault.strides, dense);
  refuse("mb", d.hasDirections || d.hasBiasMask,
         k.batchSizes == byDefault.batchSizes, "the program states its shapes");
  refuse("alg", d.hasAlgorithm || d.hasTags,
         k.algorithms == byDefault.algorithms, computes);
  auto isEmpty = [](const auto &list) {
    return list.size() == 1 && list[0].empty();
  };
  refuse("attr-scales", d.hasAttributes, isEmpty(k.scales), computes);
  refuse("attr-zero-points", d.hasAttributes, isEmpty(k.zeroPoints), computes);
  refuse("attr-post-ops", d.hasAttributes, isEmpty(k.postOps), computes);
}

/// Contradictions between knobs and what Assay lacks; sets `invalid` or
/// `unimplemented`.
static void check(Problem &p) {
  static constexpr const char *kTagKnobs[] = {"--stag", "--wtag", "--dtag"};
  for (int i = 0; p.driver->hasTags && i < 3; ++i) {
    int rank = static_cast<int>(p.dims(static_cast<Role>(i)).size());
    if (!p.strides[i].empty() && p.tags[i] != "any")
      p.invalid = std::string("both --strides and ") + kTagKnobs[i] +
                  " are given for the same tensor";
    if (!p.strides[i].empty() && static_cast<int>(p.strides[i].size()) != rank)
      p.invalid = llvm::formatv(
          "--strides gives {0} numbers for a tensor of {1} dimensions",
          p.strides[i].size(), rank);
    if (p.tags[i] == "any")
      continue;
    auto permutation = tagPermutation(p.tags[i], rank);
    if (!permutation)
      p.invalid = std::string(kTagKnobs[i]) + ": " +
                  takeError(permutation.takeError()).message;
    else if (!*permutation && p.unimplemented.empty() && !p.driver->contraction)
      p.unimplemented = std::string(kTagKnobs[i]) + "=" + p.tags[i];
  }
  if (p.driver->hasBiasMask && p.hasBias() &&
      p.biasMask >> p.dims(Role::Dst).size() != 0 && p.invalid.empty())
    p.invalid = llvm::formatv("--bia_mask={0} names a dimension that dst, of "
                              "{1} dimensions, does not have",
                              p.biasMask, p.dims(Role::Dst).size());
  if (!p.unimplemented.empty())
    return;
  for (ElementType type : {p.types[0], p.types[1], p.types[2], p.biasType})
    if (!isSupported(type))
      p.unimplemented = std::string("data type ") + nameOf(type);
  if (p.unimplemented.empty())
    p.unimplemented = verify::unimplemented(
        p.attributes, /*mainOnly=*/p.driver->contraction != nullptr);
}

llvm::Error Reader::emit(Problem p) {
  check(p);
  checkForeignKnobs(p, settings_.problem);
  if (!options_)
    options_ = std::make_shared<RunOptions>(settings_.run);
  p.options = options_;
  if (!options_->engineGiven && options_->engine != p.driver->defaultEngine) {
    auto own = std::make_shared<RunOptions>(*options_);
    own->engine = p.driver->defaultEngine;
    p.options = own;
  }
  if (p.driver->contraction && p.options->rule != "bound" &&
      p.options->rule != "benchdnn" && p.invalid.empty())
    p.invalid = "--rule=" + p.options->rule + " does not apply to driver " +
                p.driver->name + "; expected bound or benchdnn";
  p.repro = verify::reproText(*p.options) + "--" + driver_->name + " ";
  p.repro += verify::reproText(p, options_->canonical);
  if (!settings_.problem.match.empty()) {
    llvm::Expected<bool> found = matches(settings_.problem.match, p.repro);
    if (!found)
      return found.takeError();
    if (!*found)
      return llvm::Error::success();
  }
  if (!p.invalid.empty() && !place_.empty())
    p.invalid = place_ + ": " + p.invalid;
  llvm::Error error = sink_(std::move(p));
  fromSink_ = static_cast<bool>(error);
  return error;
}

llvm::Error Reader::expand(llvm::StringRef token) {
  if (!driver_->tokens)
    return combine(token);
  llvm::Expected<std::vector<std::string>> tokens = driver_->tokens(token);
  if (!tokens) {
    llvm::consumeError(tokens.takeError());
    return combine(token); // parse() reports the error
  }
  for (const std::string &one : *tokens)
    if (llvm::Error error = combine(one))
      return error;
  return llvm::Error::success();
}

/// Notes a knob that needs a feature that Assay lacks: the first one is the
/// reason, all of them stay in the repro line.
static void noteLacking(const std::string &name, const std::string &value,
                        Problem &p) {
  if (value.empty())
    return;
  p.refused.push_back("--" + name + "=" + value);
  if (p.unimplemented.empty())
    p.unimplemented = p.refused.back();
}

/// Reads the token and passes the problem to the sink.
llvm::Error Reader::finish(Problem p, llvm::StringRef token,
                           int64_t batchSize) {
  for (const auto &[name, value] : settings_.lackingRun)
    noteLacking(name, value, p);
  if (!isOneLine(token)) {
    p.path = llvm::json::fixUTF8(token);
    p.invalid = "'" + p.path + "' is not UTF-8 text of one line";
    return emit(std::move(p));
  }
  if (llvm::Error error = driver_->parse(token, batchSize, p)) {
    p.invalid = takeError(std::move(error)).message;
    p.path = token.str();
  }
  return emit(std::move(p));
}

/// Adds a dimension to the odometer for each of some named lists.
template <typename Lists>
static std::vector<std::pair<std::string, size_t>>
dimensionsOf(const Lists &lists, Odometer &o) {
  std::vector<std::pair<std::string, size_t>> dimensions;
  for (const auto &[name, values] : lists)
    dimensions.push_back({name, o.add(values.size())});
  return dimensions;
}

/// Sets stochastic rounding, which is implemented only for sums.
static void setRounding(Problem &p, bool isStochastic) {
  p.attributes.isStochastic = isStochastic;
  if (isStochastic && (!p.driver->contraction || !isForward(p.direction)))
    p.unimplemented = "--attr-rounding-mode=dst:stochastic";
}

/// One problem for each combination of the knobs' values.
llvm::Error Reader::combine(llvm::StringRef token) {
  const ProblemKnobs &k = settings_.problem;
  const Driver &d = *driver_;
  static const std::vector<int64_t> kNoBatch{0};
  const std::vector<int64_t> &batchSizes =
      d.hasDirections ? k.batchSizes : kNoBatch;
  Odometer o;
  size_t dir = o.add(d.hasDirections ? k.directions.size() : 1),
         types = o.add(k.types.size()), bias = o.add(k.biasTypes.size()),
         stag = o.add(k.srcTags.size()), wtag = o.add(k.weiTags.size()),
         dtag = o.add(k.dstTags.size()),
         strides = o.add(d.hasStrides ? k.strides.size() : 1),
         alg = o.add(d.hasAlgorithm ? k.algorithms.size() : 1),
         scales = o.add(k.scales.size()),
         zeroPoints = o.add(k.zeroPoints.size()),
         postOps = o.add(k.postOps.size()),
         stochastic = o.add(d.hasAttributes ? k.stochastic.size() : 1),
         mb = o.add(batchSizes.size()),
         mask = o.add(d.hasBiasMask ? k.biasMasks.size() : 1);
  auto lacking = dimensionsOf(k.lacking, o),
       requests = dimensionsOf(k.requests, o);
  std::vector<std::pair<const OwnKnob *, size_t>> own;
  for (const OwnKnob &row : d.knobs)
    if (auto found = k.own.find(row.name); found != k.own.end())
      own.push_back({&row, o.add(found->second.size())});
  do {
    Problem p;
    p.driver = &d;
    p.types = k.types[o[types]];
    p.direction = d.hasDirections ? k.directions[o[dir]] : Direction::FwdD;
    p.biasType = k.biasTypes[o[bias]];
    if (d.hasBiasMask && p.biasType == types::None && o[mask] > 0)
      continue; // without a bias, masks are not alternatives
    if (d.hasBiasMask)
      p.biasMask = k.biasMasks[o[mask]];
    if (hasBiasFlag(p.direction) && d.hasDirections)
      p.biasType = p.types[1] == types::F64 ? types::F64 : types::F32;
    p.tags = {k.srcTags[o[stag]], k.weiTags[o[wtag]], k.dstTags[o[dtag]]};
    if (d.hasStrides)
      p.strides = k.strides[o[strides]];
    if (d.hasAlgorithm)
      p.algorithm = k.algorithms[o[alg]];
    p.attributes.scales = k.scales[o[scales]];
    p.attributes.zeroPoints = k.zeroPoints[o[zeroPoints]];
    p.attributes.postOps = k.postOps[o[postOps]];
    setRounding(p, d.hasAttributes && k.stochastic[o[stochastic]]);
    for (auto &[row, list] : own)
      p.own[row->name] = k.own.at(row->name)[o[list]];
    for (auto &[name, list] : requests)
      if (const std::string &value = k.requests.at(name)[o[list]];
          !value.empty())
        p.requests[name] = value;
    for (auto &[name, list] : lacking)
      noteLacking(name, k.lacking.at(name)[o[list]], p);
    if (llvm::Error error = finish(std::move(p), token, batchSizes[o[mb]]))
      return error;
  } while (o.next());
  return llvm::Error::success();
}
