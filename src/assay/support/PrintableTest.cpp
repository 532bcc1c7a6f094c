#include "assay/support/Printable.h"
#include "assay/support/Table.h"
#include "gtest/gtest.h"

using namespace assay;

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("a\r\n\tb\x7f"), "a\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(printable(llvm::StringRef("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m"),
            "a\\x9b31m");
}

TEST(Printable, OtherTextStays) {
  EXPECT_EQ(printable("blöcke.0 \xE2\x82\xAC \xC2\xA0 ~"),
            "blöcke.0 \xE2\x82\xAC \xC2\xA0 ~");
}

TEST(Printable, AStreamKeepsLines) {
  std::string text;
  llvm::raw_string_ostream os(text);
  PrintableStream(os) << "a\x1b" << 3 << "\n\tb\n";
  EXPECT_EQ(os.str(), "a\\x1b3\n\tb\n");
}

TEST(Printable, TablesEscapeTheirCells) {
  Table table({{"Name"}});
  table.addRow({"a\nb\x1b"});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  EXPECT_EQ(os.str(), "Name\n----------\na\\x0ab\\x1b\n");
}
