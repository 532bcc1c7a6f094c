// Options shared by the commands, and the machine's limits that they need.
#include "Options.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/Printable.h"

#include <cctype>

namespace assay::tools {

static constexpr const char *kCommonGroup = "General";

void CommonOptions::addTo(CLI::App &app, unsigned honoured) {
  app.option_defaults()->group(kCommonGroup);
  if (honoured & kThreads)
    app.add_option("--threads", threads, "threads (default: all cores)")
        ->check(CLI::NonNegativeNumber);
  if (honoured & kMemory)
    app.add_option(
        "--max-memory", maxMemory,
        "memory limit, as 500M or 4G (default: 80 % of the machine's)");
  if (honoured & kSeconds)
    app.add_option("--max-seconds", maxSeconds, "time limit in seconds")
        ->check(CLI::NonNegativeNumber);
  if (honoured & kSeed)
    app.add_option("--seed", seed, "seed of random values");
  app.add_flag("--quiet", quiet, "no progress, no notes");
  app.add_option("--json", json,
                 "write the results as JSON to FILE, - for standard output");
  app.option_defaults()->group("Options");
}

llvm::Expected<int64_t> CommonOptions::memoryBytes() const {
  if (maxMemory.empty())
    return defaultMemoryBytes();
  llvm::Expected<int64_t> bytes = parseSize(maxMemory);
  if (!bytes)
    return addContext(bytes.takeError(), "--max-memory");
  return bytes;
}

llvm::Expected<std::shared_ptr<MemoryBudget>>
CommonOptions::memoryBudget() const {
  llvm::Expected<int64_t> bytes = memoryBytes();
  if (!bytes)
    return bytes.takeError();
  return std::make_shared<MemoryBudget>(*bytes);
}

Interrupt CommonOptions::interrupt() const {
  Interrupt interrupt;
  if (maxSeconds > 0)
    interrupt.setTimeLimit(maxSeconds);
  return interrupt;
}

/// MLIR's tools take their flags with one dash too (-split-input-file): such a
/// word that is one of ours gets its second.
static std::vector<std::string>
withTwoDashes(const CLI::App &app, llvm::ArrayRef<const char *> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  for (std::string &word : words) {
    llvm::StringRef name = llvm::StringRef(word).split('=').first;
    if (name.size() > 2 && name[0] == '-' && name[1] != '-' &&
        app.get_option_no_throw("-" + name.str()))
      word.insert(0, "-");
  }
  return words;
}

static bool hasRareOptions(const CLI::App &app) {
  return llvm::any_of(app.get_options(), [](const CLI::Option *option) {
    return option->get_group() == kRare;
  });
}

/// --help and --help-all, the last of the options of every command; the second
/// is shown where it says more than the first.
static void addHelp(CLI::App &app) {
  app.option_defaults()->group(kCommonGroup);
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_help_all_flag("--help-all", "the same with rarely needed options")
      ->group(hasRareOptions(app) ? kCommonGroup : "");
  for (CLI::App *command : app.get_subcommands({}))
    addHelp(*command);
}

/// CLI11 leaves out the options of the group "".
static void hideRareOptions(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (option->get_group() == kRare)
      option->group("");
  for (CLI::App *command : app.get_subcommands({}))
    hideRareOptions(*command);
}

/// The text of --help; with `all` that of --help-all.
static std::string helpText(CLI::App &app, bool all) {
  if (!all)
    hideRareOptions(app);
  std::string text = app.help();
  for (size_t at; (at = text.find("\n\n\n")) != std::string::npos;)
    text.erase(at, 1);
  return text;
}

std::optional<ExitCode> parseArguments(CLI::App &app,
                                       llvm::ArrayRef<const char *> arguments) {
  app.name(arguments[0]);
  addHelp(app);
  try {
    std::vector<std::string> words = withTwoDashes(app, arguments);
    std::vector<const char *> pointers;
    for (const std::string &word : words)
      pointers.push_back(word.c_str());
    app.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp &) {
    llvm::outs() << helpText(app, false);
    return ExitCode::Ok;
  } catch (const CLI::CallForAllHelp &) {
    llvm::outs() << helpText(app, true);
    return ExitCode::Ok;
  } catch (const CLI::ParseError &error) {
    llvm::errs() << "assay: error: " << error.what() << "; `" << arguments[0]
                 << " --help` shows how to call it\n";
    return ExitCode::BadInput;
  }
  return std::nullopt;
}

llvm::Error writeText(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (path == "-") {
    print(out());
    llvm::outs().flush();
    return llvm::Error::success();
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  llvm::Expected<std::unique_ptr<AtomicFile>> file =
      AtomicFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = (*file)->write(text.data(), text.size()))
    return error;
  return (*file)->commit();
}

llvm::Error writeJson(llvm::StringRef path, const llvm::json::Value &value) {
  auto print = [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}", value) << "\n";
  };
  if (path != "-")
    return writeText(path, print);
  print(llvm::outs()); // JSON has no control characters
  llvm::outs().flush();
  return llvm::Error::success();
}

llvm::raw_ostream &out() {
  static PrintableStream stream(llvm::outs());
  return stream;
}

llvm::raw_ostream &err() {
  static PrintableStream stream(llvm::errs());
  return stream;
}

std::string shellCommand(llvm::ArrayRef<const char *> words) {
  std::string line;
  for (llvm::StringRef word : words) {
    bool plain = !word.empty() && llvm::all_of(word, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) ||
             llvm::StringRef("-_./:=,+@%").contains(c);
    });
    line += line.empty() ? "" : " ";
    if (plain || word == words.front()) { // the first word is "assay COMMAND"
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

} // namespace assay::tools
