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

TEST(Table, CsvCellsQuoteLineEnds) {
  EXPECT_EQ(csvCell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csvCell("a\rb"), "\"a\rb\"");
  EXPECT_EQ(csvCell("a;b c"), "a;b c");
  EXPECT_EQ(csvCell(""), "");
}

TEST(Table, TextsAreCutToTheirWidth) {
  EXPECT_EQ(elideMiddle("abcdef", 6), "abcdef");
  EXPECT_EQ(elideMiddle("abcdef", 0), "abcdef");
  EXPECT_EQ(elideMiddle("abcdef", 5), "ab..f");
  EXPECT_EQ(elideMiddle("abcdefgh", 6), "ab..gh");
  EXPECT_EQ(elideMiddle("abcdef", 4), "a..f");
  EXPECT_EQ(elideMiddle("abcdef", 3), "abc");
  EXPECT_EQ(elideMiddle("abcdef", 1), "a");
}

TEST(Table, MissingCellsAreEmptyAndNoLineEndsInSpaces) {
  Table table({{"a"}, {"wide title"}, {"c"}});
  table.addRow({"1"});
  table.addRow({"1", "2", "3"});
  EXPECT_EQ(table.rows(), 2u);
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(text, "a  wide title  c\n"
                  "-  ----------  -\n"
                  "1\n"
                  "1  2           3\n");
}
