// The report as JUnit XML, the form that build servers read: a test case per
// problem, named by its repro words. Failed and mistrusted problems are
// failures; crashes, time-outs and invalid arguments errors; unchecked problems
// are skipped.
#include "assay/verify/Report.h"

using namespace assay;
using namespace assay::verify;

/// Text inside an attribute or element; characters that XML 1.0 does not allow
/// become '?'.
static std::string escaped(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t'
                 ? '?'
                 : c;
    }
  return out;
}

namespace {
enum class Element : uint8_t { None, Failure, Error, Skipped };
} // namespace

static Element elementOf(Status status) {
  switch (status) {
  case Status::Failed:
  case Status::Mistrusted:
    return Element::Failure;
  case Status::Crashed:
  case Status::Timeout:
  case Status::InvalidArguments:
    return Element::Error;
  case Status::Skipped:
  case Status::Unimplemented:
  case Status::Listed:
    return Element::Skipped;
  default:
    return Element::None;
  }
}

void verify::printJunit(llvm::raw_ostream &os,
                        const std::vector<JunitRow> &rows, double seconds) {
  int64_t failures = 0, errors = 0, skipped = 0;
  for (const JunitRow &row : rows) {
    failures += elementOf(row.status) == Element::Failure;
    errors += elementOf(row.status) == Element::Error;
    skipped += elementOf(row.status) == Element::Skipped;
  }
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
     << llvm::formatv(
            "<testsuite name=\"assay verify\" tests=\"{0}\" failures=\"{1}\" "
            "errors=\"{2}\" skipped=\"{3}\" time=\"{4:f3}\">\n",
            rows.size(), failures, errors, skipped, seconds);
  for (const JunitRow &row : rows) {
    os << "<testcase classname=\"" << escaped(row.driver) << "\" name=\""
       << escaped(row.repro) << "\""
       << llvm::formatv(" time=\"{0:f3}\"", row.milliseconds / 1e3);
    Element element = elementOf(row.status);
    if (element == Element::None) {
      os << "/>\n";
      continue;
    }
    const char *name = element == Element::Failure ? "failure"
                       : element == Element::Error ? "error"
                                                   : "skipped";
    std::string message =
        nameOf(row.status) +
        (row.reason.empty() ? std::string() : ": " + row.reason);
    os << "><" << name << " message=\"" << escaped(message) << "\"";
    if (element == Element::Skipped)
      os << "/></testcase>\n";
    else
      os << " type=\"" << nameOf(row.status) << "\">"
         << escaped(row.details + "\nrepro: assay verify " + row.repro) << "</"
         << name << "></testcase>\n";
  }
  os << "</testsuite>\n</testsuites>\n";
}
