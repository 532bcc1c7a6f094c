// Tensors are in the order of execution, so the first that has a NaN was made
// from tensors without one; the question is which call made it. Calls of
// modules are open between their inputs and their outputs; a tensor that first
// appears as an input was made by the code of the innermost open call.
#include "assay/trace/NotFinite.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>

namespace assay::trace {

using Maker = NotFiniteOrigin::Maker;

static bool isForward(const DumpName &name) {
  return name.kind == TensorKind::ForwardInput ||
         name.kind == TensorKind::ForwardOutput;
}

static std::string moduleOf(const DumpName &name) {
  return name.module.empty() ? name.className : name.module;
}

namespace {
class Search {
public:
  explicit Search(llvm::ArrayRef<FiniteItem> items) : items_(items) {}
  std::optional<NotFiniteOrigin> run();

private:
  const DumpName &name(size_t i) const { return items_[i].name; }
  bool sameStep(size_t i, size_t j) const {
    return name(i).step == name(j).step;
  }
  bool has(size_t i) const {
    return items_[i].notFinite > 0 && !isMeaningless(name(i));
  }
  std::optional<size_t> openCallAround(size_t at) const;
  bool isFirstOfStep(size_t at) const;
  bool hasChildren(size_t output) const;
  void blame(size_t at, NotFiniteOrigin &origin) const;
  void follow(size_t at, NotFiniteOrigin &origin) const;

  llvm::ArrayRef<FiniteItem> items_;
};
} // namespace

/// An input of the innermost call, other than its own, that is open at `at`.
std::optional<size_t> Search::openCallAround(size_t at) const {
  llvm::StringSet<> ending;
  for (size_t i = at; i < items_.size() && sameStep(i, at); ++i)
    if (name(i).kind == TensorKind::ForwardOutput)
      ending.insert(name(i).callText());
  std::string own = name(at).callText();
  for (size_t i = at; i-- > 0 && sameStep(i, at);)
    if (name(i).kind == TensorKind::ForwardInput && name(i).callText() != own &&
        ending.contains(name(i).callText()))
      return i;
  return std::nullopt;
}

/// Whether no call's output precedes the item in its step.
bool Search::isFirstOfStep(size_t at) const {
  for (size_t i = at; i-- > 0 && sameStep(i, at);)
    if (name(i).kind == TensorKind::ForwardOutput)
      return false;
  return true;
}

/// Whether tensors of other calls are between an output and the inputs of its
/// call.
bool Search::hasChildren(size_t output) const {
  std::string own = name(output).callText();
  for (size_t i = output; i-- > 0 && sameStep(i, output);) {
    if (!isForward(name(i)))
      continue;
    bool below = llvm::StringRef(name(i).module)
                     .starts_with(name(output).module.empty()
                                      ? ""
                                      : name(output).module + ".");
    if (name(i).callText() != own)
      return below;
    if (name(i).kind == TensorKind::ForwardInput)
      return false;
  }
  return false;
}

void Search::blame(size_t at, NotFiniteOrigin &origin) const {
  origin.module = moduleOf(name(at));
  switch (name(at).kind) {
  case TensorKind::ForwardParams:
    origin.maker = Maker::Parameter;
    return;
  case TensorKind::ForwardOutput:
    origin.maker = hasChildren(at) ? Maker::Code : Maker::Module;
    break;
  case TensorKind::ForwardInput:
    if (std::optional<size_t> around = openCallAround(at);
        around && !isFirstOfStep(at)) {
      origin.maker = Maker::Code;
      origin.module = moduleOf(name(*around));
    } else {
      origin.maker = isFirstOfStep(at) ? Maker::Input : Maker::Code;
      origin.module = "";
    }
    return;
  case TensorKind::Other:
    origin.maker = Maker::Module;
    return;
  default:
    origin.maker = Maker::Backward;
    return;
  }
  for (size_t i = at; i-- > 0 && sameStep(i, at);)
    if (isInput(name(i).kind) && name(i).callText() == name(at).callText())
      origin.fromInfinite |= items_[i].infinite;
}

void Search::follow(size_t at, NotFiniteOrigin &origin) const {
  llvm::StringSet<> listed;
  std::optional<size_t> last; // forward output of the step
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i >= at && has(i))
      ++origin.tensors;
    if (!sameStep(i, at) || name(i).kind != TensorKind::ForwardOutput)
      continue;
    last = i;
    if (i > at && has(i) && !hasChildren(i) &&
        listed.insert(moduleOf(name(i))).second)
      origin.path.push_back(moduleOf(name(i)));
  }
  origin.atTheEnd = last && has(*last);
}

std::optional<NotFiniteOrigin> Search::run() {
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!has(i))
      continue;
    NotFiniteOrigin origin;
    origin.tensor = name(i).text();
    origin.step = name(i).step;
    origin.position = static_cast<int64_t>(i);
    origin.notFinite = items_[i].notFinite;
    blame(i, origin);
    follow(i, origin);
    return origin;
  }
  return std::nullopt;
}

std::optional<NotFiniteOrigin> findNotFinite(llvm::ArrayRef<FiniteItem> items) {
  return Search(items).run();
}

std::optional<RankOrigin> findNotFinite(llvm::ArrayRef<RankItems> ranks) {
  std::optional<RankOrigin> first;
  std::vector<std::pair<int64_t, std::string>> all;
  auto key = [](const NotFiniteOrigin &origin) {
    return std::tuple(origin.step, origin.maker == Maker::Input,
                      origin.position);
  };
  for (const RankItems &rank : ranks) {
    std::optional<NotFiniteOrigin> origin = findNotFinite(rank.items);
    if (!origin)
      continue;
    all.push_back({rank.rank, origin->tensor});
    if (!first || key(*origin) < key(first->origin))
      first = RankOrigin{rank.rank, std::move(*origin), {}};
  }
  for (auto &[rank, tensor] : all)
    if (rank != first->rank)
      first->others.push_back({rank, std::move(tensor)});
  return first;
}

static std::string makerText(const NotFiniteOrigin &origin) {
  std::string who =
      origin.module.empty() ? "the model" : "'" + origin.module + "'";
  switch (origin.maker) {
  case Maker::Module:
    return "which " + who + " made from inputs " +
           (origin.fromInfinite ? "that have an Inf" : "without one");
  case Maker::Code:
    return "which the code of " + who + " made between its modules";
  case Maker::Backward:
    return "in the backward pass at " + who;
  case Maker::Parameter:
    return "a parameter of " + who + " that had it already";
  case Maker::Input:
    return "which the model was given";
  }
  return "";
}

std::string describe(const NotFiniteOrigin &origin) {
  constexpr size_t kShown = 4;
  std::string text =
      llvm::formatv("'{0}' of step {1} ({2} elements), {3}", origin.tensor,
                    origin.step, origin.notFinite, makerText(origin))
          .str();
  if (origin.tensors <= 1)
    return text + "; no other tensor has one";
  llvm::ArrayRef<std::string> path = origin.path;
  if (!path.empty())
    text += "; it spread through " +
            llvm::join(path.take_front(kShown), ", ") +
            (path.size() > kShown
                 ? " and " + std::to_string(path.size() - kShown) + " more"
                 : "");
  text += ": " + std::to_string(origin.tensors) + " tensors";
  return text + (origin.atTheEnd ? ", the last output among them"
                                 : ", the last output has none");
}

llvm::json::Object notFiniteJson(const NotFiniteOrigin &origin) {
  static constexpr const char *kMakers[] = {"module", "code", "backward",
                                            "parameter", "input"};
  llvm::json::Array path;
  for (const std::string &module : origin.path)
    path.push_back(llvm::json::fixUTF8(module));
  return llvm::json::Object{{"tensor", llvm::json::fixUTF8(origin.tensor)},
                            {"step", origin.step},
                            {"elements", origin.notFinite},
                            {"maker", kMakers[static_cast<int>(origin.maker)]},
                            {"module", llvm::json::fixUTF8(origin.module)},
                            {"inputs_have_inf", origin.fromInfinite},
                            {"path", std::move(path)},
                            {"tensors", origin.tensors},
                            {"reaches_last_output", origin.atTheEnd}};
}

} // namespace assay::trace
