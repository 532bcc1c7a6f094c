// Shortens the words as text. A text that the grammar does not accept as a
// problem is not a candidate, so no rule of a driver is repeated here.
#include "assay/triage/SmallestWords.h"

#include <cctype>
#include <chrono>
#include <set>

using namespace assay;
using namespace assay::triage;

namespace {
/// A number in a text.
struct Number {
  size_t begin, end;
  int64_t value;
};

class Cutting {
public:
  Cutting(Asking &asking, Smallest smallest, double budgetSeconds)
      : asking_(asking), best_(std::move(smallest)), budget_(budgetSeconds) {}

  void knobs();
  bool groups();
  bool numbers();
  Smallest take() { return std::move(best_); }

private:
  std::string &descriptor() { return best_.variation.words.back(); }
  bool spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
               .count() > budget_;
  }
  bool keep(std::vector<std::string> words);
  bool shrink(const std::vector<Number> &same);

  Asking &asking_;
  Smallest best_;
  double budget_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};
} // namespace

/// Whether both have the same status, and wrong elements in both or in neither:
/// a kernel that refuses a smaller size fails in another way.
static bool failsAlike(const Answer &one, const Answer &other) {
  return one.outcome.status == other.outcome.status &&
         (one.outcome.facts.get("wrong") != nullptr) ==
             (other.outcome.facts.get("wrong") != nullptr);
}

bool Cutting::keep(std::vector<std::string> words) {
  if (spent())
    return false;
  Variation variation = best_.variation;
  variation.words = std::move(words);
  Answer answer = asking_.ask(variation);
  ++best_.asked;
  if (!answer.failed() || !failsAlike(answer, best_.answer))
    return false;
  best_.variation = std::move(variation);
  best_.answer = std::move(answer);
  return true;
}

/// Removes words between the driver and the descriptor.
void Cutting::knobs() {
  for (size_t i = 1; i + 1 < best_.variation.words.size();) {
    std::vector<std::string> words = best_.variation.words;
    words.erase(words.begin() + static_cast<int64_t>(i));
    if (!keep(std::move(words)))
      ++i;
  }
}

static std::vector<Number> numbersIn(llvm::StringRef text) {
  std::vector<Number> numbers;
  for (size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[end])))
      ++end;
    int64_t value = 0;
    if (!text.slice(i, end).getAsInteger(10, value))
      numbers.push_back({i, end, value});
    i = end;
  }
  return numbers;
}

/// Removes groups such as "kh3": letters with their number.
bool Cutting::groups() {
  bool any = false;
  if (!std::isalpha(static_cast<unsigned char>(descriptor()[0])))
    return false;
  for (size_t i = 0; i < numbersIn(descriptor()).size();) {
    std::vector<Number> all = numbersIn(descriptor());
    std::vector<std::string> words = best_.variation.words;
    size_t begin = i == 0 ? 0 : all[i - 1].end;
    words.back().erase(begin, all[i].end - begin);
    if (!words.back().empty() && keep(std::move(words)))
      any = true;
    else
      ++i;
  }
  return any;
}

static std::string replaced(std::string text, const std::vector<Number> &which,
                            int64_t value) {
  for (size_t i = which.size(); i-- > 0;)
    text.replace(which[i].begin, which[i].end - which[i].begin,
                 std::to_string(value));
  return text;
}

/// Reduces these numbers, which are equal, to the smallest value that still
/// fails.
bool Cutting::shrink(const std::vector<Number> &same) {
  int64_t from = same.front().value, holds = 0, fails = from;
  std::string text = descriptor();
  auto fits = [&](int64_t value) {
    std::vector<std::string> words = best_.variation.words;
    words.back() = replaced(text, same, value);
    return keep(std::move(words));
  };
  for (int64_t value = from > 1 ? 1 : 0; value < from && !spent();
       value = value < 1 ? 1 : value * 2) {
    if (fits(value)) {
      fails = value;
      break;
    }
    holds = value;
  }
  while (fails - holds > 1 && !spent()) {
    int64_t middle = holds + (fails - holds) / 2;
    (fits(middle) ? fails : holds) = middle;
  }
  return fails < from;
}

bool Cutting::numbers() {
  bool any = false;
  std::set<int64_t> seen;
  for (bool changed = true; changed && !spent();) {
    changed = false;
    for (const Number &number : numbersIn(descriptor())) {
      if (number.value < 1 || !seen.insert(number.value).second)
        continue;
      std::vector<Number> same;
      for (const Number &other : numbersIn(descriptor()))
        if (other.value == number.value)
          same.push_back(other);
      changed = shrink(same);
      any |= changed;
      if (changed)
        break; // the positions of the numbers have changed
    }
  }
  for (size_t i = 0; i < numbersIn(descriptor()).size() && !spent(); ++i)
    if (numbersIn(descriptor())[i].value > 0)
      any |= shrink({numbersIn(descriptor())[i]});
  return any;
}

Smallest triage::smallestWords(Asking &asking, const Variation &from,
                               double budgetSeconds) {
  Smallest start{from, asking.ask(from), 1};
  if (start.variation.words.empty())
    start.variation.words = asking.words();
  if (!start.answer.failed() || asking.problem().driver->readsFile)
    return start;
  Cutting cutting(asking, std::move(start), budgetSeconds);
  cutting.knobs();
  for (int round = 0; round < 3; ++round) {
    bool changed = cutting.numbers();
    changed |= cutting.groups();
    if (!changed)
      break;
  }
  return cutting.take();
}
