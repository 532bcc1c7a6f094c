// Values of knobs: parsed, checked, and normalised to one spelling, so that
// equal problems have equal words.
#include "assay/verify/drivers/Words.h"
#include "assay/verify/Settings.h"
#include "assay/verify/drivers/Sizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace assay;
using namespace assay::verify;

static llvm::Error bad(llvm::StringRef value, llvm::StringRef expected) {
  return makeError(ErrorCode::InvalidArgument, "'{0}': expected {1}", value,
                   expected);
}

llvm::Expected<std::string> drivers::readType(llvm::StringRef value) {
  if (!parseDataType(value))
    return bad(value, "a data type such as f32 or bf16");
  return value.str();
}

/// Reads "A" or "A:B" with `read` for each.
static llvm::Expected<std::string>
readPair(llvm::StringRef value,
         llvm::Expected<std::string> (*read)(llvm::StringRef)) {
  auto [first, second] = value.split(':');
  llvm::Expected<std::string> one = read(first);
  if (!one || second.empty() || first == second)
    return one;
  llvm::Expected<std::string> two = read(second);
  if (!two)
    return two;
  return *one + ":" + *two;
}

llvm::Expected<std::string> drivers::readTypePair(llvm::StringRef value) {
  return readPair(value, readType);
}

llvm::Expected<std::string> drivers::readTag(llvm::StringRef value) {
  if (value == "any")
    return value.str();
  if (auto order = tagPermutation(value, 0); !order)
    return order.takeError();
  return value.str();
}

llvm::Expected<std::string> drivers::readTagPair(llvm::StringRef value) {
  auto [first, second] = value.split(':');
  llvm::Expected<std::string> one = readTag(first);
  if (!one || second.empty())
    return one;
  llvm::Expected<std::string> two = readTag(second);
  if (!two)
    return two;
  return *one + ":" + *two;
}

llvm::Expected<std::string> drivers::readReal(llvm::StringRef value) {
  double number = 0;
  if (value.getAsDouble(number))
    return bad(value, "a number");
  return realText(number);
}

/// Reads each item of "A:B:C" with `read`.
static llvm::Expected<std::string>
readList(llvm::StringRef value,
         llvm::Expected<std::string> (*read)(llvm::StringRef)) {
  llvm::SmallVector<llvm::StringRef, 4> items;
  value.split(items, ':');
  std::string text;
  for (llvm::StringRef item : items) {
    llvm::Expected<std::string> one = read(item);
    if (!one)
      return one;
    text += (text.empty() ? "" : ":") + *one;
  }
  return text;
}

llvm::Expected<std::string> drivers::readTypeList(llvm::StringRef value) {
  return readList(value, readType);
}
llvm::Expected<std::string> drivers::readTagList(llvm::StringRef value) {
  return readList(value, readTag);
}
llvm::Expected<std::string> drivers::readRealList(llvm::StringRef value) {
  return readList(value, readReal);
}

llvm::StringRef drivers::itemOf(llvm::StringRef list, size_t i) {
  llvm::SmallVector<llvm::StringRef, 4> items;
  list.split(items, ':');
  return i < items.size() ? items[i] : items.back();
}

size_t drivers::itemCount(llvm::StringRef list) { return list.count(':') + 1; }

std::string drivers::shortened(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 4> items;
  list.split(items, ':');
  return (llvm::all_equal(items) ? items[0] : list).str();
}

std::string drivers::freeTag(llvm::StringRef tag) {
  return tag == "undef" ? "any" : tag.str();
}

std::string drivers::sourceRole(size_t i) {
  return i ? "src" + std::to_string(i) : "src";
}

llvm::Expected<std::string> drivers::readSize(llvm::StringRef value) {
  int64_t number = 0;
  if (value.getAsInteger(10, number) || number < 0)
    return bad(value, "a number that is not negative");
  return std::to_string(number);
}

llvm::Expected<std::string>
drivers::readWord(llvm::StringRef value,
                  llvm::ArrayRef<llvm::StringRef> words) {
  for (llvm::StringRef word : words)
    if (value.equals_insensitive(word))
      return word.str();
  return bad(value, llvm::join(words, " "));
}

llvm::Expected<std::string> drivers::readBool(llvm::StringRef value) {
  if (value == "1" || value == "0")
    return std::string(value == "1" ? "true" : "false");
  return readWord(value, {"true", "false"});
}

llvm::Expected<std::string> drivers::readPass(llvm::StringRef value) {
  return readWord(value, {"FWD_D", "FWD_I", "BWD_D"});
}

llvm::Expected<std::string>
drivers::readPassWithWeights(llvm::StringRef value) {
  return readWord(value, {"FWD_D", "FWD_I", "BWD_D", "BWD_DW"});
}

ElementType drivers::typeOf(llvm::StringRef value) {
  return parseDataType(value).value_or(types::None);
}

std::pair<llvm::StringRef, llvm::StringRef>
drivers::pairOf(llvm::StringRef value) {
  auto [first, second] = value.split(':');
  return {first, second.empty() ? first : second};
}

std::pair<llvm::StringRef, llvm::StringRef>
drivers::tagsOf(llvm::StringRef value) {
  auto [first, second] = value.split(':');
  return {first, second.empty() ? "any" : second};
}

double drivers::realOf(llvm::StringRef value) {
  double number = 0;
  value.getAsDouble(number);
  return static_cast<float>(number);
}

Direction drivers::directionOf(const Problem &problem) {
  llvm::StringRef value = problem.knob("dir");
  return value == "FWD_I"    ? Direction::FwdI
         : value == "BWD_D"  ? Direction::BwdD
         : value == "BWD_DW" ? Direction::BwdW
                             : Direction::FwdD;
}

llvm::StringRef drivers::passText(Direction direction) {
  switch (direction) {
  case Direction::FwdI:
    return "FWD_I";
  case Direction::BwdD:
    return "BWD_D";
  case Direction::BwdW:
    return "BWD_DW";
  default:
    return "FWD_D";
  }
}

void drivers::checkItems(Problem &problem, const char *knob, size_t sources) {
  size_t items = itemCount(problem.knob(knob));
  if (items != 1 && items != sources)
    problem.invalid =
        llvm::formatv("--{0}={1} has neither one item nor one for "
                      "each of {2} sources",
                      knob, problem.knob(knob), sources);
}

void drivers::takeBatch(Problem &problem, int64_t mb) {
  int64_t own = 0;
  if (problem.knob("mb").getAsInteger(10, own) || own == 0)
    own = mb;
  if (own > 0)
    (problem.shapes.empty() ? problem.descriptor.mb : problem.shapes[0][0]) =
        own;
  problem.own["mb"] = "0";
}
