/// Text for a terminal: names come from files, and a control character in one
/// could move the cursor, change colours or the window's title.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace assay {

/// The text with each control character (below U+0020, U+007F to U+009F) as
/// "\x1b"; with `linesKept`, line breaks and tabs are not escaped.
std::string printable(llvm::StringRef text, bool linesKept = false);

/// Passes text on to another stream with its control characters escaped, except
/// line breaks and tabs. Unbuffered.
class PrintableStream : public llvm::raw_ostream {
public:
  explicit PrintableStream(llvm::raw_ostream &out)
      : llvm::raw_ostream(/*unbuffered=*/true), out_(out) {}
  ~PrintableStream() override { flush(); }

private:
  void write_impl(const char *text, size_t size) override;
  uint64_t current_pos() const override { return out_.tell(); }

  llvm::raw_ostream &out_;
};

} // namespace assay
