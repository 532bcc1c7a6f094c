// Options shared by the commands, and the limits of the machine that they need.
#include "Options.h"
#include "assay/support/AtomicFile.h"
#include "assay/support/Nearest.h"
#include "assay/support/Printable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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

/// MLIR's tools also accept flags with one dash (-split-input-file). Adds the
/// second dash to such a word if it is an option of ours.
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

/// Adds --help and --help-all after the other options of every command; the
/// second is listed only if it shows more than the first.
static void addHelp(CLI::App &app) {
  app.option_defaults()->group(kCommonGroup);
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_help_all_flag("--help-all", "the same with rarely needed options")
      ->group(hasRareOptions(app) ? kCommonGroup : "");
  for (CLI::App *command : app.get_subcommands({}))
    addHelp(*command);
}

/// Hides rare options: CLI11 does not list the options of the group "".
static void hideRareOptions(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (option->get_group() == kRare)
      option->group("");
  for (CLI::App *command : app.get_subcommands({}))
    hideRareOptions(*command);
}

/// The text of --help, or with `all` of --help-all.
static std::string helpText(CLI::App &app, bool all) {
  if (!all)
    hideRareOptions(app);
  std::string text = app.help();
  for (size_t at; (at = text.find("\n\n\n")) != std::string::npos;)
    text.erase(at, 1);
  return text;
}

/// A validator's condition, taken from its description in CLI11's help; empty
/// if the validator has its own message.
static std::string demandOf(llvm::StringRef description) {
  if (description == "NONNEGATIVE")
    return "a number of at least 0";
  if (description == "POSITIVE")
    return "a number above 0";
  if (description.consume_front("{") && description.consume_back("}"))
    return "one of " + llvm::join(llvm::split(description, ','), ", ");
  size_t range = description.find(" in [");
  return range == llvm::StringRef::npos
             ? ""
             : "a number" + description.substr(range).str();
}

/// Makes the validators' messages say which value was given and which is
/// expected.
static void explainValidators(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    try {
      for (int i = 0;; ++i) {
        CLI::Validator *validator = option->get_validator(i);
        validator->operation(
            [check = *validator](std::string &text) -> std::string {
              std::string given = text, message = check(text),
                          demand = demandOf(check.get_description());
              return message.empty() || demand.empty()
                         ? message
                         : "got '" + given + "', expected " + demand;
            });
      }
    } catch (const CLI::OptionNotFound &) { // no more validators
    }
  for (CLI::App *command : app.get_subcommands({}))
    explainValidators(*command);
}

static void addNames(const CLI::App &app, std::vector<std::string> &names) {
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (const CLI::App *command : app.get_subcommands())
    addNames(*command, names);
}

/// The message about arguments that the command does not know.
static std::string unknownText(const CLI::App &app) {
  std::vector<std::string> names;
  addNames(app, names);
  std::string text;
  for (const std::string &word : app.remaining(/*recurse=*/true)) {
    llvm::StringRef option = llvm::StringRef(word).split('=').first;
    if (!option.starts_with("-"))
      continue;
    text += (text.empty() ? "unknown option '" : ", '") + option.str() + "'";
    llvm::StringRef near = nearestName(option, names);
    for (const std::string &name : names) // --model stands for --model_dir
      if (near.empty() && llvm::StringRef(name).starts_with(option))
        near = name;
    if (!near.empty())
      text += " (did you mean '" + near.str() + "'?)";
  }
  return text.empty()
             ? "unexpected argument '" + app.remaining(true).front() + "'"
             : text;
}

/// The first required option or argument of the called command that is missing;
/// null if there is none.
static const CLI::Option *missingOption(const CLI::App &app) {
  for (const CLI::App *command : app.get_subcommands())
    if (const CLI::Option *option = missingOption(*command))
      return option;
  for (const CLI::Option *option : app.get_options())
    if (option->get_required() && option->count() == 0)
      return option;
  return nullptr;
}

/// The message about a missing argument. If there is a word that the command
/// does not know, the message is about that word: the user may have meant it as
/// the argument.
static std::string missingText(const CLI::App &app,
                               const CLI::RequiredError &error) {
  std::vector<std::string> words = app.remaining(/*recurse=*/true);
  std::vector<std::string> commands;
  for (const CLI::App *command : app.get_subcommands({}))
    commands.push_back(command->get_name());
  bool isOption = !words.empty() && words.front().starts_with("-");
  if (!commands.empty() && app.get_subcommands().empty() && !isOption) {
    std::string all =
        "expected one of the commands " + llvm::join(commands, ", ");
    if (words.empty())
      return all;
    llvm::StringRef near = nearestName(words.front(), commands);
    return "no command named '" + words.front() + "'" +
           (near.empty() ? "; " + all : " (did you mean '" + near.str() + "'?)");
  }
  if (llvm::any_of(words, [](const std::string &word) {
        return word.size() > 1 && word[0] == '-';
      }))
    return unknownText(app);
  const CLI::Option *option = missingOption(app);
  if (!option)
    return error.what();
  std::string name = option->get_name(/*positional=*/false,
                                      /*all_options=*/true);
  return (option->get_positional() ? "the argument " + option->get_name(true)
                                   : name) +
         " is required";
}

/// The message about a value that does not have the type of its option.
static std::string conversionText(const CLI::App &app, llvm::StringRef text) {
  llvm::StringRef rest = text;
  rest.consume_front("Could not convert: ");
  auto [name, value] = rest.split(" = ");
  const CLI::Option *option = nullptr;
  for (const CLI::App *one = &app; one && !option;
       one = one->get_subcommands().empty() ? nullptr
                                            : one->get_subcommands().front())
    option = one->get_option_no_throw(name.str());
  if (!option || value.empty())
    return text.str();
  std::string type = option->get_type_name();
  return (name + ": got '" + value + "', expected " +
          (llvm::StringRef(type).starts_with("FLOAT") ? "a number"
           : llvm::StringRef(type).starts_with("UINT")
               ? "a whole number of at least 0"
               : "a whole number"))
      .str();
}

static ExitCode reportUsage(llvm::StringRef command, llvm::StringRef text) {
  llvm::errs() << "assay: error: " << text << "; `" << command
               << " --help` shows how to call it\n";
  return ExitCode::BadInput;
}

std::optional<ExitCode> parseArguments(CLI::App &app,
                                       llvm::ArrayRef<const char *> arguments) {
  app.name(arguments[0]);
  addHelp(app);
  explainValidators(app);
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
  } catch (const CLI::ExtrasError &) {
    return reportUsage(arguments[0], unknownText(app));
  } catch (const CLI::RequiredError &error) {
    return reportUsage(arguments[0], missingText(app, error));
  } catch (const CLI::ConversionError &error) {
    return reportUsage(arguments[0], conversionText(app, error.what()));
  } catch (const CLI::ParseError &error) {
    return reportUsage(arguments[0], error.what());
  }
  return std::nullopt;
}

std::function<std::string(const std::string &)>
fileOrFolder(const char *file) {
  return [file](const std::string &path) -> std::string {
    bool isOther = llvm::is_contained({".npy", ".txt", ".csv", ".json", ".h5",
                                       ".pt", ".safetensors", ".mlir"},
                                      llvm::sys::path::extension(path));
    return !isOther || llvm::sys::fs::is_directory(path)
               ? ""
               : "got '" + path + "', expected " + file + " or a folder";
  };
}

llvm::Error checkWritable(llvm::StringRef path) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  while (!folder.empty() && !llvm::sys::fs::exists(folder))
    folder = llvm::sys::path::parent_path(folder); // missing folders will be
                                                   // made
  const char *why = llvm::sys::fs::is_directory(path) ? "Is a directory"
                    : !folder.empty() && !llvm::sys::fs::is_directory(folder)
                        ? "Not a directory"
                        : nullptr;
  if (!why || path == "-")
    return llvm::Error::success();
  return makeError(ErrorCode::InvalidArgument, "cannot write '{0}': {1}", path,
                   why);
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
