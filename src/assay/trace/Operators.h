/// The programs of the operators in a dump: those of its recorded calls.
#pragma once

#include "assay/trace/AtenProgram.h"
#include "assay/trace/DumpName.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

namespace assay::trace {

/// How two lists of arguments differ, as text.
class ArgumentDifference {
public:
  /// `verb`: "called with"
  explicit ArgumentDifference(const char *verb) : verb_(verb) {}
  /// Null: the default. Tensors, types and devices are ignored.
  void note(llvm::StringRef name, const llvm::json::Value *target,
            const llvm::json::Value *bench);
  /// "called with diagonal=-1, the bench with 0"; empty: they do not differ.
  const std::string &text() const { return text_; }

private:
  const char *verb_;
  std::string text_;
};

class Operators {
public:
  /// Reads the descriptions of a dump's operators: `description` (dump.json, or
  /// the .mlir program that `assay run --record` ran); when empty, the
  /// dump.json that belongs to the dump (beside it as STEM_operators.json, or
  /// one folder up). Without either there are no descriptions. Errors:  those
  /// of reading a given description
  static llvm::Expected<Operators> of(llvm::StringRef dumpPath,
                                      llvm::StringRef description);
  /// The same for a recording, whose operators must be described: a dump.json, a
  /// dump, or a folder with one of them; `path` becomes that file. Errors: those
  /// of reading, InvalidArgument without a description.
  static llvm::Expected<Operators> ofRecording(std::string &path,
                                               llvm::StringRef program);
  Operators(Operators &&);
  ~Operators();

  bool empty() const { return calls_.empty() && programs_.empty(); }
  const std::vector<TracedCall> &calls() const { return calls_; }
  llvm::StringRef description() const { return description_; }
  /// The program of the call that a recorded tensor belongs to. Errors:
  /// Unsupported with the reason
  llvm::Expected<AtenProgram> program(const DumpName &name,
                                      Stages stages = Stages::Rounded) const;

  /// The program of the target's call with the bench's arguments: with the
  /// bench's scalars, lists and names, and the call's own tensors and types.
  llvm::Expected<AtenProgram> programAskedBy(const Operators &bench,
                                             const DumpName &benchName,
                                             const DumpName &name,
                                             Stages stages) const;

  /// How a call's arguments differ from those of the bench's call, as text
  /// ("called with diagonal=-1, the bench with 0"): scalars, lists, names.
  /// Tensors, types and places of memory do not count. Empty: they do not
  /// differ, or a call is not described.
  std::string differenceFrom(const DumpName &name, const Operators &bench,
                             const DumpName &benchName) const;

  /// The line of the model that made a call; empty when it is not known.
  llvm::StringRef source(const DumpName &name) const;

private:
  Operators();
  std::string description_;
  std::vector<TracedCall> calls_;
  llvm::StringMap<size_t> byName_;
  /// The operations of a StableHLO program, as bytecode: "main/3.add".
  llvm::StringMap<std::string> programs_;
};

} // namespace assay::trace
