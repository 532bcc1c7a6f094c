// `assay explain NAME`: what a verdict, an exit code, an error, a rule, a kind
// of data or a property means and what to do. The texts are rows of
// Explanations.def; `--page` prints all of them as docs/explain.md.
#include "Options.h"
#include "assay/support/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace assay;

namespace {
struct Explanation {
  llvm::StringRef kind, name, meaning, next, page;
};
} // namespace

static constexpr Explanation kExplanations[] = {
#define ASSAY_EXPLANATION(kind, name, meaning, next, page)                     \
  {kind, name, meaning, next, page},
#include "Explanations.def"
};

/// The rows for a name or for a kind: "first-wrong" selects all its answers.
static std::vector<const Explanation *> rowsNamed(llvm::StringRef word) {
  // "ulp:4" is the rule ulp, "of bound(got)" a column, "range data" a kind of
  // data.
  llvm::StringRef plain = word.split(':').first.split('(').first;
  plain.consume_back(" data");
  std::string name = plain.str();
  auto rowsWith = [&](llvm::StringRef Explanation::*part) {
    std::vector<const Explanation *> rows;
    for (const Explanation &row : kExplanations)
      if ((row.*part).equals_insensitive(name))
        rows.push_back(&row);
    return rows;
  };
  if (std::vector<const Explanation *> rows = rowsWith(&Explanation::name);
      !rows.empty())
    return rows;
  std::replace(name.begin(), name.end(), '-', ' ');
  return rowsWith(&Explanation::kind);
}

/// The names by kind, one line per kind.
static std::string knownNames() {
  std::string text;
  llvm::StringRef kind;
  for (const Explanation &row : kExplanations) {
    text += row.kind == kind
                ? " "
                : ((kind.empty() ? "" : "\n") + ("  " + row.kind + ": ")).str();
    text += row.name;
    kind = row.kind;
  }
  return text;
}

/// A question with the name that the user probably meant.
static std::string nearText(llvm::StringRef word) {
  std::vector<llvm::StringRef> names;
  for (const Explanation &row : kExplanations)
    names.push_back(row.name);
  for (const std::string &spelling : {word.str(), word.upper(), word.lower()})
    if (llvm::StringRef near = nearestName(spelling, names); !near.empty())
      return (" (did you mean '" + near + "'?)").str();
  return "";
}

static void printPage(llvm::raw_ostream &os) {
  os << "# What the words mean\n\nThe table behind `assay explain NAME`, made "
        "by `assay explain --page`.\n";
  llvm::StringRef kind;
  for (const Explanation &row : kExplanations) {
    if (row.kind != kind)
      os << "\n## " << static_cast<char>(llvm::toUpper(row.kind[0]))
         << row.kind.drop_front()
         << "\n\n| name | meaning | what to do | page |\n|---|---|---|---|\n";
    kind = row.kind;
    std::string meaning = row.meaning.str();
    for (size_t at = 0; (at = meaning.find('|', at)) != std::string::npos;
         at += 2)
      meaning.replace(at, 1, "\\|");
    os << "| `" << row.name << "` | " << meaning << " | " << row.next << " | ["
       << row.page << "](" << row.page << ") |\n";
  }
}

ExitCode tools::explainCommand(llvm::ArrayRef<const char *> arguments) {
  CLI::App app(
      "Says what a word of Assay's output means and what to do about it.\n\n"
      "examples:\n"
      "  assay explain MISTRUSTED\n"
      "  assay explain 3\n"
      "  assay explain bound\n"
      "  assay explain first-wrong\n"
      "  assay explain --json - nan_local");
  std::vector<std::string> names;
  bool page = false;
  CommonOptions flags;
  app.add_option("NAME", names,
                 "a verdict, exit code, kind of error, rule, kind of data, "
                 "column, property, answer of triage or first wrong, or a kind of "
                 "these; none: all names");
  app.add_flag("--page", page, "print every explanation as one Markdown page");
  flags.addTo(app, kNothing);
  if (std::optional<ExitCode> code = parseArguments(app, arguments))
    return *code;
  if (page) {
    printPage(llvm::outs());
    return ExitCode::Ok;
  }
  llvm::json::Array found;
  for (llvm::StringRef name : names) {
    std::vector<const Explanation *> rows = rowsNamed(name);
    if (rows.empty())
      return reportError(makeError(
          ErrorCode::NotFound,
          "nothing named '{0}' is explained{1}; docs/glossary.md has more "
          "terms, and here are:\n{2}",
          name, nearText(name), knownNames()));
    for (const Explanation *row : rows) {
      found.push_back(llvm::json::Object{{"kind", row->kind},
                                         {"name", row->name},
                                         {"meaning", row->meaning},
                                         {"next", row->next},
                                         {"page", row->page}});
      if (flags.json != "-")
        llvm::outs() << row->name << " (" << row->kind << ")\n  "
                     << row->meaning << "\n  What to do: " << row->next
                     << "\n  More: docs/" << row->page << "\n";
    }
  }
  if (names.empty() && flags.json != "-")
    llvm::outs() << "assay explain NAME, where NAME is one of\n"
                 << knownNames() << "\n";
  if (!flags.json.empty())
    if (llvm::Error error =
            writeJson(flags.json, llvm::json::Value(std::move(found))))
      return reportError(std::move(error));
  return ExitCode::Ok;
}
