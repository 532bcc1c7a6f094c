// Reads the note that linkers write (NT_GNU_BUILD_ID) from the program headers
// of the file that this code was loaded from: the executable, or the Python
// module's library. The note identifies the content, so that a result about one
// build (a verdict that is kept on disk) is not used for another.
#include "assay/support/BuildId.h"

#if defined(__linux__)
#include <cstring>
#include <elf.h>
#include <link.h>
#endif

namespace assay {

#if defined(__linux__)
static constexpr size_t roundUp4(size_t bytes) { return (bytes + 3) & ~size_t{3}; }

/// The build id in a segment of notes; empty where the segment has none.
static std::string idIn(const char *notes, size_t bytes) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    size_t name = at + sizeof head, content = name + roundUp4(head.n_namesz),
           end = content + roundUp4(head.n_descsz);
    if (end > bytes)
      break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      std::string text;
      for (size_t i = 0; i < head.n_descsz; ++i)
        for (int shift : {4, 0})
          text += "0123456789abcdef"[notes[content + i] >> shift & 15];
      return text;
    }
    at = end;
  }
  return "";
}

static int lookInto(dl_phdr_info *info, size_t, void *found) {
  auto here = reinterpret_cast<uintptr_t>(&buildId);
  bool isOurs = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    isOurs |= segment.p_type == PT_LOAD &&
              here - info->dlpi_addr - segment.p_vaddr < segment.p_memsz;
  }
  for (int i = 0; isOurs && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    auto &text = *static_cast<std::string *>(found);
    if (segment.p_type == PT_NOTE && text.empty())
      text = idIn(reinterpret_cast<const char *>(info->dlpi_addr +
                                                 segment.p_vaddr),
                  segment.p_memsz);
  }
  return isOurs;
}

static std::string findBuildId() {
  std::string text;
  dl_iterate_phdr(lookInto, &text);
  return text;
}
#else
static std::string findBuildId() { return ""; }
#endif

const std::string &buildId() {
  static const std::string id = findBuildId();
  return id;
}

} // namespace assay
