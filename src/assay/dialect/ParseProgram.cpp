// From program text to a verified module.
//
// MLIR's parser recurses with the nesting of the text and reports errors
// through a handler. So the text is first checked (is it bytecode? how deep do
// brackets nest?), to protect the parser's stack, and the messages are
// collected in one llvm::Error, each with file, line and column.
#include "assay/dialect/Register.h"

#include "assay/dialect/BoolLiterals.h"
#include "assay/dialect/OlderProperties.h"
#include "assay/dialect/vhlo/Vhlo.h"
#include "assay/support/Error.h"
#include "assay/support/ByteOrderMark.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace assay {

using namespace mlir;

/// The position after the string literal that begins at `at`.
static size_t skipString(llvm::StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
  return at;
}

/// Finds the first bracket that is nested deeper than kMaxNesting; npos if
/// there is none. Brackets in strings and comments and the `>` of an arrow do
/// not count.
static size_t findTooDeep(llvm::StringRef text) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
    } else if (c == '/' && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '-' && text.substr(at).starts_with("->")) {
      ++at;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > kMaxNesting)
        return at;
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0) {
      --depth;
    }
  }
  return llvm::StringRef::npos;
}

/// `file:line:column` of a position.
static std::string place(llvm::StringRef text, llvm::StringRef fileName,
                         size_t at) {
  llvm::StringRef before = text.take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1;
  return llvm::formatv("{0}:{1}:{2}", fileName, line, column).str();
}

static llvm::Error checkBeforeParsing(llvm::StringRef text,
                                      llvm::StringRef fileName) {
  if (text.ltrim().starts_with("HloModule"))
    return makeError(ErrorCode::Unsupported,
                     "'{0}' is XLA's HLO text, expected StableHLO: export it "
                     "with jax.jit(f).lower(...).as_text()",
                     fileName);
  if (text.contains('\0'))
    return makeError(
        ErrorCode::InvalidArgument,
        "'{0}' is a binary file, but neither MLIR bytecode nor what jax.export "
        "writes; expected a StableHLO program",
        fileName);
  size_t tooDeep = findTooDeep(text);
  if (tooDeep != llvm::StringRef::npos)
    return makeError(ErrorCode::InvalidArgument,
                     "{0}: brackets nest deeper than {1} levels",
                     place(text, fileName, tooDeep), kMaxNesting);
  return llvm::Error::success();
}

/// `file:line:column: `, or an empty text for a location without a file.
static std::string describe(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}:{2}: ", file.getFilename().getValue(),
                         file.getLine(), file.getColumn())
        .str();
  return "";
}

/// MLIR recommends a flag for unknown dialects; a list of the known ones is
/// more helpful here.
static std::string clarify(llvm::StringRef text) {
  text = text.split('\n').first;
  if (text.starts_with("unknown attribute code"))
    return (text + ": the file was written by a newer MLIR than this one; its "
                   "text or a portable artifact can be read")
        .str();
  if (text.starts_with("attempting to parse"))
    return ("the file is cut off (" + text + ")").str();
  if (text.starts_with("custom op '"))
    return ("unknown operation " + text.drop_front(10).split(" is unknown").first +
            "; expected a StableHLO program")
        .str();
  if (!text.contains("unregistered dialect") && !text.starts_with("Dialect `"))
    return text.str();
  return (text.split(". If this is intended").first +
          "; known dialects: stablehlo, chlo, check, interpreter, func, arith, "
          "tensor, shape, quant, sdy")
      .str();
}

llvm::StringRef bytecodeIn(llvm::StringRef file) {
  constexpr llvm::StringLiteral kMagic("ML\xefR");
  if (file.starts_with(kMagic))
    return file;
  size_t at = file.contains('\0') ? file.find(kMagic) : llvm::StringRef::npos;
  if (at == llvm::StringRef::npos || at < sizeof(uint32_t))
    return "";
  // A byte array in a FlatBuffer is preceded by its length.
  auto size = llvm::support::endian::read32le(file.data() + at - 4);
  return size <= file.size() - at ? file.substr(at, size) : "";
}

static OwningOpRef<ModuleOp> parseText(llvm::StringRef text,
                                       llvm::StringRef fileName,
                                       MLIRContext &context) {
  llvm::SourceMgr sources;
  std::string packed = packBoolLiterals(text);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 packed.empty() ? text : packed, fileName),
                             llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

/// Removes casts between a type and itself. Artifacts with operations of other
/// dialects (a manual computation of sdy) have casts between the two dialects'
/// types, which become the same type in StableHLO.
static void dropCastsOfSameType(ModuleOp module) {
  module.walk([](UnrealizedConversionCastOp cast) {
    if (cast.getInputs().getTypes() == cast.getResultTypes()) {
      cast.replaceAllUsesWith(cast.getInputs());
      cast.erase();
    }
  });
}

/// Parses bytecode and converts a portable artifact to StableHLO.
static OwningOpRef<ModuleOp> parseBytecode(llvm::StringRef bytecode,
                                           llvm::StringRef fileName,
                                           MLIRContext &context) {
  // Large constants point into the buffer, so it must be aligned as they are.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
          bytecode.size(), fileName, llvm::Align(4096));
  llvm::copy(bytecode, buffer->getBufferStart());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module || failed(vhlo::legalizeVhlo(*module)))
    return nullptr;
  dropCastsOfSameType(*module);
  return succeeded(verify(*module)) ? std::move(module) : nullptr;
}

bool hasOlderProperties(llvm::StringRef file, MLIRContext &context) {
  llvm::StringRef bytecode = bytecodeIn(file);
  if (!OlderProperties::mayMatter(bytecode))
    return false;
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  if (parseBytecode(bytecode, "", context))
    return false;
  OlderProperties older;
  return static_cast<bool>(parseBytecode(bytecode, "", context));
}

llvm::Expected<OwningOpRef<ModuleOp>> parseProgramText(llvm::StringRef text,
                                                       llvm::StringRef fileName,
                                                       MLIRContext &context) {
  text = withoutByteOrderMark(text);
  llvm::StringRef bytecode = bytecodeIn(text);
  if (bytecode.empty())
    if (llvm::Error error = checkBeforeParsing(text, fileName))
      return error;
  // 1. Collect messages; a note belongs to the message before it.
  std::string messages;
  constexpr unsigned kMaxMessages = 20;
  unsigned count = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error ||
        ++count > kMaxMessages || OlderProperties::isActive())
      return success();
    messages += (messages.empty() ? "" : "\n") +
                describe(diagnostic.getLocation()) + clarify(diagnostic.str());
    for (Diagnostic &note : diagnostic.getNotes())
      if (!llvm::StringRef(note.str()).contains("see current operation"))
        messages += "\n  " + describe(note.getLocation()) + note.str();
    return success();
  });
  // 2. Parse and verify.
  OwningOpRef<ModuleOp> module =
      bytecode.empty() ? parseText(text, fileName, context)
                       : parseBytecode(bytecode, fileName, context);
  if (!module && OlderProperties::mayMatter(bytecode)) {
    OlderProperties older;
    module = parseBytecode(bytecode, fileName, context);
  }
  if (module)
    return module;
  if (messages.empty())
    messages = (fileName + ": not a StableHLO program").str();
  return llvm::make_error<Error>(ErrorCode::InvalidArgument, messages);
}

} // namespace assay
