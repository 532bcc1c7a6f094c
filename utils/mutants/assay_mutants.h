// Included in a copy of the sources by `./dev mutants`: every mutant has a number,
// and the environment selects the one that is on.
//   ASSAY_MUTANT=17          mutant 17 is on, in this process and in its children
//   ASSAY_MUTANT_REACH=FILE  none is on; byte N of FILE becomes 1 where mutant N
//                            would have been tested (FILE is mapped, so that the
//                            marks of a process that dies are kept)
#ifndef ASSAY_MUTANTS_H
#define ASSAY_MUTANTS_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay_mutants {

inline unsigned char *marks = nullptr;
inline int markCount = 0;

inline int start() {
  if (const char *path = getenv("ASSAY_MUTANT_REACH")) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat info;
    if (file < 0 || fstat(file, &info) != 0)
      return 0;
    void *map = mmap(nullptr, static_cast<size_t>(info.st_size),
                     PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED)
      return 0;
    marks = static_cast<unsigned char *>(map);
    markCount = static_cast<int>(info.st_size);
    return -1;
  }
  const char *number = getenv("ASSAY_MUTANT");
  return number ? atoi(number) : 0;
}

inline int chosen = start();

/// Whether mutant `number` (from 1 on) is the one to run.
inline bool on(int number) {
  if (__builtin_expect(chosen > 0, 0))
    return chosen == number;
  if (__builtin_expect(chosen < 0, 0) && number < markCount)
    marks[number] = 1;
  return false;
}

} // namespace assay_mutants

#endif // ASSAY_MUTANTS_H
