// The table of choices: open addressing over atomic pointers to immutable
// entries. A look-up hashes the problem, follows at most eight slots, and
// compares the whole problem; it writes nothing, so readers never wait for
// anyone.
#include "assay/select/LearnedSelector.h"

using namespace assay;
using namespace assay::select;
using namespace assay::kernels;

ChoiceCache::ChoiceCache(size_t slots) : slots_(slots) {}

ChoiceCache::~ChoiceCache() {
  for (std::atomic<const Entry *> &slot : slots_)
    delete slot.load(std::memory_order_relaxed);
}

const GemmConfig *ChoiceCache::find(const GemmProblem &problem) const {
  uint64_t hash = problem.hash();
  for (size_t probe = 0; probe < kProbes; ++probe) {
    const Entry *entry = slots_[(hash + probe) & (slots_.size() - 1)].load(
        std::memory_order_acquire);
    if (!entry)
      return nullptr;
    if (entry->hash == hash && entry->problem == problem)
      return &entry->config;
  }
  return nullptr;
}

void ChoiceCache::insert(const GemmProblem &problem, const GemmConfig &config) {
  auto fresh = std::make_unique<Entry>(Entry{problem.hash(), problem, config});
  for (size_t probe = 0; probe < kProbes; ++probe) {
    std::atomic<const Entry *> &slot =
        slots_[(fresh->hash + probe) & (slots_.size() - 1)];
    const Entry *there = nullptr;
    if (slot.compare_exchange_strong(there, fresh.get(),
                                     std::memory_order_acq_rel)) {
      fresh.release();
      return;
    }
    if (there->hash == fresh->hash && there->problem == problem)
      return;
  }
}
