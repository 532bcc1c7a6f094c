#include "assay/support/Table.h"
#include "gtest/gtest.h"

using namespace assay;

TEST(Table, AlignsNumbersRightAndCutsLongNames) {
  Table table({{"name", Table::Align::Left, 11}, {"n", Table::Align::Right}});
  table.addRow({"blocks.0.mlp.output.0", "7"});
  table.addRow({"a", "1234"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(text, "name            n\n"
                  "-----------  ----\n"
                  "block..ut.0     7\n"
                  "a            1234\n");
}

TEST(Table, CsvCellsQuoteOnlyWhatNeedsIt) {
  EXPECT_EQ(csvCell("plain"), "plain");
  EXPECT_EQ(csvCell("a,b"), "\"a,b\"");
  EXPECT_EQ(csvCell("say \"x\""), "\"say \"\"x\"\"\"");
}
