// Every text is parsed once to see whether it can be read. Pairs with the same
// text, and those whose operations are the same once they are read, are equal
// without being run; each of the others parses its own two programs, since a
// context of MLIR's belongs to one thread, and a dump of thousands of programs
// is not kept in memory. The journal has one line for each answer, under a hash
// of both texts.
#include "assay/judge/equivalence/Passes.h"
#include "assay/dialect/Register.h"
#include "assay/judge/equivalence/Cut.h"
#include "assay/support/Interrupt.h"
#include "assay/support/Progress.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

#include <map>
#include <mutex>

using namespace assay;
using namespace assay::judge;

namespace {
class Asking {
public:
  explicit Asking(const PassesRequest &request) : request_(request) {}
  llvm::Expected<PassesReport> ask();

private:
  void readBytecode();
  void findPairs(PassesReport &report);
  llvm::StringRef textOf(size_t program) const {
    auto read = fromBytecode_.find(program);
    return read == fromBytecode_.end()
               ? llvm::StringRef(request_.dump.programs[program].text)
               : llvm::StringRef(read->second);
  }
  void readJournal();
  llvm::Expected<EquivRequest> pairOf(size_t i) const;
  std::string keyOf(size_t i) const;
  void answer(size_t i, PassAnswer &out);

  const PassesRequest &request_;
  std::map<size_t, std::string> fromBytecode_, whyNot_;
  std::vector<std::pair<size_t, size_t>> pairs_; ///< numbers of programs
  llvm::StringMap<std::pair<int, std::string>> known_;
  std::mutex mutex_;
};
} // namespace

/// Reads bytecode as text. A forked copy of this process does it, which works
/// only while there is one thread.
void Asking::readBytecode() {
  for (auto [i, each] : llvm::enumerate(request_.dump.programs)) {
    if (bytecodeIn(each.text).empty())
      continue;
    auto program = program::Program::parse(each.text, each.file);
    if (!program) {
      whyNot_[i] = takeError(program.takeError()).message;
      continue;
    }
    llvm::raw_string_ostream os(fromBytecode_[i]);
    (*program)->module().print(os, mlir::OpPrintingFlags().printGenericOpForm());
  }
}

void Asking::findPairs(PassesReport &report) {
  const std::vector<PassProgram> &all = request_.dump.programs;
  std::vector<std::string> why(all.size());
  llvm::StringMap<size_t> firstOf;
  std::vector<size_t> distinct;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!firstOf.try_emplace(textOf(i), i).second)
      continue;
    if (auto found = whyNot_.find(i); found != whyNot_.end())
      why[i] = found->second;
    else
      distinct.push_back(i);
  }
  ThreadPool pool(request_.jobs);
  pool.parallelFor(static_cast<int64_t>(distinct.size()), 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t k = begin; k < end; ++k) {
                       size_t i = distinct[static_cast<size_t>(k)];
                       auto program =
                           program::Program::parse(textOf(i), all[i].file);
                       if (!program)
                         why[i] = takeError(program.takeError()).message;
                     }
                   });
  for (size_t i = 0, last = all.size(); i < all.size(); ++i) {
    const std::string &reason = why[firstOf[textOf(i)]];
    if (!reason.empty()) {
      report.unread.push_back(all[i].file + ": " + reason);
      continue;
    }
    if (last < all.size() && all[last].group == all[i].group)
      pairs_.emplace_back(last, i);
    last = i;
  }
}

std::string Asking::keyOf(size_t i) const {
  auto [a, b] = pairs_[i];
  uint64_t word = 0;
  for (size_t which : {a, b})
    word = mixWords(word, llvm::xxh3_64bits(llvm::arrayRefFromStringRef(
                              textOf(which))));
  word = mixWords(word, request_.laws.bits());
  word = mixWords(word, request_.seed * 64 + request_.draws);
  return llvm::utohexstr(mixWords(word, request_.precisionMayChange));
}

void Asking::readJournal() {
  if (!request_.journal)
    return;
  forEachRecord(request_.journal->found(), [&](llvm::StringRef line, int64_t) {
    auto [key, rest] = line.split(' ');
    auto [verdict, text] = rest.split(' ');
    int number;
    if (!verdict.getAsInteger(10, number))
      known_[key] = {number, text.str()};
    return true;
  });
}

llvm::Expected<EquivRequest> Asking::pairOf(size_t i) const {
  const std::vector<PassProgram> &all = request_.dump.programs;
  const PassProgram &a = all[pairs_[i].first], &b = all[pairs_[i].second];
  EquivRequest pair;
  if (llvm::Error error =
          program::Program::parse(textOf(pairs_[i].first), a.file)
              .moveInto(pair.a))
    return error;
  if (llvm::Error error =
          program::Program::parse(textOf(pairs_[i].second), b.file)
              .moveInto(pair.b))
    return error;
  pair.laws = request_.laws;
  pair.precisionMayChange = request_.precisionMayChange;
  pair.draws = request_.draws;
  pair.seed = request_.seed;
  pair.maxSeconds = request_.maxSeconds;
  return pair;
}

/// All operations in MLIR's generic form: values have numbers there, and
/// locations in files are left out.
static std::string operationsOf(const program::Program &program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (mlir::Operation &op : program.module().getBody()->getOperations())
    op.print(os, mlir::OpPrintingFlags().printGenericOpForm().useLocalScope());
  return text;
}

static llvm::Expected<Equivalence> decidePair(const EquivRequest &pair) {
  std::string a = operationsOf(*pair.a);
  // A resource's numbers are not among the operations.
  if (!llvm::StringRef(a).contains("dense_resource<") &&
      a == operationsOf(*pair.b))
    return Equivalence();
  ThreadPool pool(1);
  return decide(pair, pool);
}

void Asking::answer(size_t i, PassAnswer &out) {
  const PassProgram &a = request_.dump.programs[pairs_[i].first],
                    &b = request_.dump.programs[pairs_[i].second];
  out = {b.group, b.pass, a.file, b.file, EquivVerdict::Equal, "equal"};
  if (textOf(pairs_[i].first) == textOf(pairs_[i].second))
    return;
  std::string key = keyOf(i);
  if (auto found = known_.find(key); found != known_.end()) {
    out.verdict = static_cast<EquivVerdict>(found->second.first);
    out.line = found->second.second;
    return;
  }
  llvm::Expected<EquivRequest> pair = pairOf(i);
  llvm::Expected<Equivalence> decided =
      pair ? decidePair(*pair) : llvm::Expected<Equivalence>(pair.takeError());
  if (decided) {
    out.verdict = decided->verdict;
    out.line = decided->closingLine();
  } else {
    out.verdict = EquivVerdict::NotDecided;
    out.line = "not decided (" + takeError(decided.takeError()).message + ")";
  }
  if (Interrupt::requested()) // what was not asked to the end is no answer
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  std::string line = out.line;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (request_.journal)
    llvm::consumeError(request_.journal->append(
        key + " " + std::to_string(static_cast<int>(out.verdict)) + " " +
        line));
}

llvm::Expected<PassesReport> Asking::ask() {
  PassesReport report;
  report.others = request_.dump.others;
  readBytecode();
  findPairs(report);
  readJournal();
  report.answers.resize(pairs_.size());
  Progress progress("passes", static_cast<int64_t>(pairs_.size()),
                    request_.quiet);
  int64_t done = 0;
  ThreadPool pool(request_.jobs);
  pool.parallelFor(static_cast<int64_t>(pairs_.size()), 1,
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin;
                          i < end && !Interrupt::requested(); ++i) {
                       answer(static_cast<size_t>(i), report.answers[i]);
                       std::lock_guard<std::mutex> lock(mutex_);
                       progress.update(++done, report.answers[i].pass);
                     }
                   });
  progress.finish();
  if (llvm::Error error = Interrupt().check())
    return error;
  std::string group;
  bool inGroup = false;
  for (auto [i, answer] : llvm::enumerate(report.answers)) {
    if (!inGroup || answer.group != group) {
      group = answer.group;
      inGroup = true;
    } else if (!report.first.empty() &&
               report.answers[report.first.back()].group == group) {
      continue;
    }
    if (answer.verdict == EquivVerdict::Differs)
      report.first.push_back(i);
  }
  if (!request_.output.empty() && !report.first.empty()) {
    ThreadPool one(1);
    llvm::Expected<EquivRequest> pair = pairOf(report.first.front());
    if (!pair)
      return pair.takeError();
    if (llvm::Error error = writeDifference(*pair, request_.output, one)
                                .moveInto(report.written))
      return error;
  }
  return report;
}

llvm::Expected<PassesReport> judge::askPasses(const PassesRequest &request) {
  return Asking(request).ask();
}

ExitCode PassesReport::exitCode() const {
  if (answers.empty())
    return unread.empty() ? ExitCode::NothingChecked : ExitCode::BadInput;
  ExitCode code = unread.empty() ? ExitCode::Ok : ExitCode::BadInput;
  for (const PassAnswer &answer : answers)
    if (answer.verdict == EquivVerdict::Differs)
      code = worst(code, ExitCode::CheckFailed);
    else if (answer.verdict == EquivVerdict::NotDecided)
      code = worst(code, ExitCode::BadInput);
  return code;
}

static std::array<int64_t, 4> countsOf(llvm::ArrayRef<PassAnswer> answers) {
  std::array<int64_t, 4> counts{};
  for (const PassAnswer &answer : answers)
    ++counts[static_cast<size_t>(answer.verdict)];
  return counts;
}

/// A line that repeats the question about this pass.
static std::string reproOf(const PassAnswer &answer) {
  llvm::StringRef before = answer.before, after = answer.after;
  auto [file, line] = before.rsplit(':');
  if (!line.empty() && llvm::all_of(line, llvm::isDigit)) // one file of many
    return ("assay passes " + file).str();
  if (before.ends_with(".mlir") && after.ends_with(".mlir"))
    return ("assay equiv " + before + " " + after + " --map").str();
  return ("assay passes " + before + " " + after).str();
}

void PassesReport::print(llvm::raw_ostream &os, bool details) const {
  if (details) {
    for (const PassAnswer &answer : answers)
      if (answer.verdict != EquivVerdict::Equal)
        os << (answer.group.empty() ? "" : answer.group + ": ") << answer.pass
           << ": " << answer.line << "\n";
    for (const std::string &text : unread)
      os << "unread: " << text << "\n";
    if (!others.empty())
      os << others.size()
         << (others.size() == 1 ? " other file is not a program: "
                                : " other files are not programs, such as ")
         << others.front()
         << (others.size() > 1 ? ", ..." : "") << "\n";
  }
  for (size_t i : first) {
    const PassAnswer &answer = answers[i];
    os << "first pass that changes the function"
       << (answer.group.empty() ? "" : " of " + answer.group) << ": "
       << answer.pass << "\n  " << answer.line << "\n"
       << "repro: " << reproOf(answer) << "\n";
  }
  for (const std::string &file : written)
    os << "wrote " << file << "\n";
  std::array<int64_t, 4> counts = countsOf(answers);
  os << llvm::formatv("passes: {0} equal, {1} equal but for precision, {2} "
                      "differ, {3} not decided, {4} unread\n",
                      counts[0], counts[1], counts[2], counts[3],
                      unread.size());
}

llvm::json::Value PassesReport::toJson() const {
  llvm::json::Array rows;
  for (const PassAnswer &answer : answers)
    rows.push_back(llvm::json::Object{{"group", answer.group},
                                      {"pass", answer.pass},
                                      {"before", answer.before},
                                      {"after", answer.after},
                                      {"verdict", nameOf(answer.verdict)},
                                      {"line", answer.line}});
  llvm::json::Array firsts;
  for (size_t i : first)
    firsts.push_back(answers[i].pass);
  return llvm::json::Object{{"passes", std::move(rows)},
                            {"first", std::move(firsts)},
                            {"unread", llvm::json::Array(unread)},
                            {"others", llvm::json::Array(others)},
                            {"written", llvm::json::Array(written)}};
}
