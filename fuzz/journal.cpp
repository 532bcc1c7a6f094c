// Fuzzes the journal of a recording: any text; and the names in it.
#include "assay/formats/Hdf5Journal.h"
#include "assay/trace/DumpName.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto journal = assay::formats::parseJournal(text, "fuzz.journal");
  if (journal) {
    for (const auto &entry : journal->entries)
      (void)assay::trace::parseDumpName(entry.path).text();
  } else {
    llvm::consumeError(journal.takeError());
  }
  (void)assay::trace::parseDumpName(text).text();
  return 0;
}
