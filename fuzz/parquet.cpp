// Fuzzes the reader of Parquet tables: any bytes as a file in memory, read by the
// Arrow adapter (linked in here, so that a build without pyarrow has no such
// fuzzer). What is read is a whole table: every column has its rows, and it
// writes.
#include "assay/select/ColumnTable.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace assay::select;

extern "C" int assay_parquet_read(const char *, ColumnTable *, char *, size_t);
extern "C" int assay_parquet_write(const ColumnTable *, std::string *, char *,
                                   size_t);

static void check(const ColumnTable &table) {
  for (const Column &column : table.columns) {
    size_t rows = column.type == ColumnType::Float  ? column.numbers.size()
                  : column.type == ColumnType::Text ? column.texts.size()
                                                    : column.integers.size();
    if (static_cast<int64_t>(rows) != table.rows)
      std::abort();
  }
  std::string bytes;
  char why[512];
  if (assay_parquet_write(&table, &bytes, why, sizeof why))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int memory = memfd_create("fuzz.parquet", 0);
  if (memory < 0)
    return 0;
  std::string path = "/proc/self/fd/" + std::to_string(memory);
  if (write(memory, data, size) == static_cast<ssize_t>(size)) {
    ColumnTable table;
    char why[512];
    if (assay_parquet_read(path.c_str(), &table, why, sizeof why) == 0)
      check(table);
  }
  close(memory);
  return 0;
}
