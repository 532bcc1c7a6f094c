#include "assay/support/Json.h"
#include "assay/support/ByteOrderMark.h"
#include "assay/support/Error.h"

using namespace assay;

static bool nestsDeeper(llvm::StringRef text, int limit) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (depth > limit)
      return true;
  }
  return false;
}

llvm::Expected<llvm::json::Value> assay::parseJson(llvm::StringRef text,
                                                   int deepest) {
  if (nestsDeeper(text, deepest))
    return makeError(ErrorCode::InvalidArgument,
                     "it nests more than {0} levels deep", deepest);
  return llvm::json::parse(withoutByteOrderMark(text));
}
