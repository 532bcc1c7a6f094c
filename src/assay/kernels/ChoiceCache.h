/// The cache of choices by problem: Registry::dispatch and the learned selector
/// both use this table.
#pragma once

#include "assay/kernels/Problem.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace assay::kernels {

/// Values by problem: open addressing over pointers to immutable entries, each
/// published by one atomic store. A look-up hashes the problem, compares it in
/// full, and takes no lock. The table doubles when it is half full. Entries,
/// and tables that readers may still use, live as long as the cache. Threads:
/// find and insert may be called from any thread.
template <class Value> class ChoiceCache {
public:
  /// `slots`: the size of the first table, a power of two.
  explicit ChoiceCache(size_t slots = 1 << 10) { grow(slots); }
  ChoiceCache(const ChoiceCache &) = delete;

  /// The choice of `asker` (a selector, or nullptr if there is only one) for
  /// the problem, or nullptr.
  const Value *find(const GemmProblem &problem,
                    const void *asker = nullptr) const {
    const Entry *entry = slotOf(*table_.load(std::memory_order_acquire),
                                problem.hash(), problem, asker)
                             .load(std::memory_order_acquire);
    return entry ? &entry->value : nullptr;
  }

  /// Stores a choice and returns the stored one: if two threads choose for a
  /// problem, the first choice stays.
  const Value &insert(const GemmProblem &problem, Value value,
                      const void *asker = nullptr) {
    uint64_t hash = problem.hash();
    std::lock_guard<std::mutex> lock(mutex_);
    if (2 * (entries_.size() + 1) > tables_.back()->size())
      grow(2 * tables_.back()->size());
    Slot &slot = slotOf(*tables_.back(), hash, problem, asker);
    if (const Entry *there = slot.load(std::memory_order_relaxed))
      return there->value;
    entries_.push_back(
        std::make_unique<Entry>(Entry{hash, problem, asker, std::move(value)}));
    slot.store(entries_.back().get(), std::memory_order_release);
    return entries_.back()->value;
  }

private:
  struct Entry {
    uint64_t hash;
    GemmProblem problem;
    const void *asker;
    Value value;
  };
  using Slot = std::atomic<const Entry *>;
  using Table = std::vector<Slot>;

  /// The slot that holds the problem, or the free one where it belongs. Tables
  /// are at most half full, so there is one.
  template <class AnyTable>
  static auto &slotOf(AnyTable &table, uint64_t hash,
                      const GemmProblem &problem, const void *asker) {
    for (uint64_t at = hash;; ++at) {
      auto &slot = table[at & (table.size() - 1)];
      const Entry *entry = slot.load(std::memory_order_acquire);
      if (!entry || (entry->hash == hash && entry->asker == asker &&
                     entry->problem == problem))
        return slot;
    }
  }

  void grow(size_t slots) {
    auto table = std::make_unique<Table>(slots);
    for (const std::unique_ptr<Entry> &entry : entries_)
      slotOf(*table, entry->hash, entry->problem, entry->asker)
          .store(entry.get(), std::memory_order_relaxed);
    tables_.push_back(std::move(table));
    table_.store(tables_.back().get(), std::memory_order_release);
  }

  std::atomic<const Table *> table_ = nullptr;
  std::mutex mutex_; ///< guards the members below
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

} // namespace assay::kernels
