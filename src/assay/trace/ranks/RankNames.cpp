// The order of execution over all ranks is a merge of the ranks' own orders.
#include "assay/trace/ranks/RankNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <list>
#include <map>

namespace assay::trace {

//===--- Numbers of modules ----------------------------------------------===//

/// The index in a module's path of the number that a list assigns to its
/// modules; -1: the path does not belong to the list.
static int numberOf(llvm::ArrayRef<llvm::StringRef> path,
                    llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, '.');
  if (path.size() <= words.size())
    return -1;
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] != "*" && words[i] != path[i])
      return -1;
  llvm::StringRef number = path[words.size()];
  return !number.empty() && llvm::all_of(number, llvm::isDigit)
             ? static_cast<int>(words.size())
             : -1;
}

namespace {
/// The offsets of each list's numbers on each rank.
class Renumbering {
public:
  Renumbering(llvm::ArrayRef<RankDump> ranks, const Layout *layout);
  void apply(size_t rank, DumpName &name) const;

private:
  struct List {
    std::string words;
    std::vector<int64_t> offsets; ///< of each dump
  };
  std::vector<List> lists_;
};
} // namespace

Renumbering::Renumbering(llvm::ArrayRef<RankDump> ranks, const Layout *layout) {
  if (!layout)
    return;
  for (const Layout::Numbered &numbered : layout->numbered()) {
    std::map<int64_t, int64_t> counts; // counts for each coordinate
    std::vector<int64_t> coordinates;
    for (const RankDump &rank : ranks) {
      int64_t at = layout->coordinatesOf(rank.rank)[numbered.axis];
      coordinates.push_back(at);
      int64_t &count = counts[at];
      for (const formats::Hdf5Dataset &dataset : rank.file->datasets()) {
        std::string module = parseDumpName(dataset.path).module;
        llvm::SmallVector<llvm::StringRef> path;
        llvm::StringRef(module).split(path, '.');
        int64_t number = 0;
        if (int i = numberOf(path, numbered.list);
            i >= 0 && !path[static_cast<size_t>(i)].getAsInteger(10, number))
          count = std::max(count, number + 1);
      }
    }
    List list{numbered.list, {}};
    for (int64_t at : coordinates) {
      int64_t offset = 0;
      for (const auto &[coordinate, count] : counts)
        offset += coordinate < at ? count : 0;
      list.offsets.push_back(offset);
    }
    lists_.push_back(std::move(list));
  }
}

void Renumbering::apply(size_t rank, DumpName &name) const {
  if (lists_.empty())
    return;
  llvm::SmallVector<llvm::StringRef> path;
  std::string module = name.module;
  llvm::StringRef(module).split(path, '.');
  std::vector<std::string> words(path.begin(), path.end());
  for (const List &list : lists_) {
    int64_t number = 0;
    int i = numberOf(path, list.words);
    if (i >= 0 && !path[static_cast<size_t>(i)].getAsInteger(10, number))
      words[static_cast<size_t>(i)] =
          std::to_string(number + list.offsets[rank]);
  }
  name.module = llvm::join(words, ".");
}

//===--- Order -----------------------------------------------------------===//

static int phaseOf(const DumpName &name) {
  switch (name.kind) {
  case TensorKind::BackwardGradOutput:
  case TensorKind::BackwardGradInput:
    return 1;
  case TensorKind::ParamsGrad:
    return 2;
  default:
    return 0;
  }
}

namespace {
using Entries = std::list<SharedName>;

struct Named {
  DumpName name;
  const formats::Hdf5Dataset *dataset;
};

class Sequence {
public:
  void addRank(size_t rank, std::vector<Named> own);
  Entries take() { return std::move(entries_); }

private:
  using Place = std::optional<Entries::iterator>;
  Place find(const DumpName &name) const {
    auto found = byName_.find(name.dataset());
    return found == byName_.end() ? std::nullopt : Place(found->second);
  }
  Entries::iterator placeFor(const DumpName &name, Place previous, Place next);
  Entries entries_;
  llvm::StringMap<Entries::iterator> byName_;
};
} // namespace

/// Forward tensors that earlier ranks lack come as late as the rank's own order
/// allows (a later stage of a pipeline), gradients as early as it allows.
Entries::iterator Sequence::placeFor(const DumpName &name, Place previous,
                                     Place next) {
  int phase = phaseOf(name);
  auto together = [&](const Place &other) {
    return other && (*other)->name.step == name.step &&
           phaseOf((*other)->name) == phase;
  };
  if (phase == 0 && together(next))
    return *next;
  if (phase > 0 && together(previous))
    return std::next(*previous);
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const SharedName &other) {
                        int theirs = phaseOf(other.name);
                        return other.name.step > name.step ||
                               (other.name.step == name.step &&
                                (phase == 1 ? theirs >= 1 : theirs > phase));
                      });
}

void Sequence::addRank(size_t rank, std::vector<Named> own) {
  std::vector<Place> nexts(own.size());
  Place next, previous;
  for (size_t i = own.size(); i-- > 0;) {
    nexts[i] = next;
    if (Place known = find(own[i].name))
      next = known;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    Place at = find(own[i].name);
    if (!at) {
      std::string key = own[i].name.dataset();
      Entries::iterator place = placeFor(own[i].name, previous, nexts[i]);
      at = entries_.insert(place, {std::move(own[i].name), {}});
      byName_[key] = *at;
    }
    (*at)->sources.push_back({rank, own[i].dataset});
    previous = at;
  }
}

std::vector<SharedName> shareNames(llvm::ArrayRef<RankDump> ranks,
                                   const Layout *layout, int64_t &operators) {
  Renumbering renumbering(ranks, layout);
  Sequence sequence;
  for (size_t r = 0; r < ranks.size(); ++r) {
    std::vector<Named> own;
    for (const formats::Hdf5Dataset &dataset : ranks[r].file->datasets()) {
      DumpName name = parseDumpName(dataset.path);
      if (!dataset.unsupported.empty())
        continue;
      if (isNumbered(name.module)) {
        ++operators;
        continue;
      }
      renumbering.apply(r, name);
      own.push_back({std::move(name), &dataset});
    }
    sequence.addRank(r, std::move(own));
  }
  Entries entries = sequence.take();
  return {std::make_move_iterator(entries.begin()),
          std::make_move_iterator(entries.end())};
}

} // namespace assay::trace
