// Fuzzes what killed writers leave: the journal of `tune collect` and its lanes,
// that of a reduction, the answers of a rank. Any bytes; whatever is read of a
// journal of measurements is written as lines that read as the same, and a
// reduction's journal keeps what it took over.
#include "assay/judge/reduce/Journal.h"
#include "assay/select/Journal.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace assay;

static void readCollected(llvm::StringRef text) {
  auto journal = select::parseJournal(text, "input");
  if (!journal)
    return llvm::consumeError(journal.takeError());
  if (journal->isEmpty)
    return;
  std::string lines = journalLine(journal->settings) + "\n";
  for (const auto &row : journal->rows)
    lines += journalLine(row) + "\n";
  auto again = select::parseJournal(lines, "again");
  if (!again || again->rows.size() != journal->rows.size() ||
      !again->settings.differencesTo(journal->settings).empty())
    std::abort();
  for (size_t i = 0; i < journal->rows.size(); ++i)
    if (journalLine(again->rows[i]) != journalLine(journal->rows[i]))
      std::abort();
}

static void readReduction(llvm::StringRef text) {
  int memory = memfd_create("fuzz.journal", 0);
  if (memory < 0)
    return;
  std::string path = "/proc/self/fd/" + std::to_string(memory);
  if (write(memory, text.data(), text.size()) ==
      static_cast<ssize_t>(text.size())) {
    std::string heading = text.split('\n').first.str();
    int64_t first = -1;
    for (int round = 0; round < 2; ++round) {
      auto journal = judge::Journal::open(path, heading, /*resume=*/true);
      if (!journal) {
        llvm::consumeError(journal.takeError());
        break;
      }
      if (round == 1 && journal->takenOver() != first)
        std::abort(); // it lost what it had taken over
      first = journal->takenOver();
    }
  }
  close(memory);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  readCollected(text);
  readReduction(text);
  return 0;
}
