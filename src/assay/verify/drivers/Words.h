/// Knobs that several drivers define: how a value is read, and its meaning. A
/// driver lists the knobs that it has, each with its own default.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

// Reads a value of a knob. Returns its canonical spelling; the error names the
// expected values.
llvm::Expected<std::string> readType(llvm::StringRef value);
/// "T" or "SRC:DST"; equal types are written once.
llvm::Expected<std::string> readTypePair(llvm::StringRef value);
llvm::Expected<std::string> readTag(llvm::StringRef value);
/// "SRC" or "SRC:DST".
llvm::Expected<std::string> readTagPair(llvm::StringRef value);
llvm::Expected<std::string> readReal(llvm::StringRef value);
llvm::Expected<std::string> readSize(llvm::StringRef value);
/// "T:T...", "TAG:TAG..." and "X:X...": one item per source.
llvm::Expected<std::string> readTypeList(llvm::StringRef value);
llvm::Expected<std::string> readTagList(llvm::StringRef value);
llvm::Expected<std::string> readRealList(llvm::StringRef value);
/// FWD_D FWD_I BWD_D, and BWD_DW for drivers with weights.
llvm::Expected<std::string> readPass(llvm::StringRef value);
llvm::Expected<std::string> readPassWithWeights(llvm::StringRef value);
/// "true" or "false"; also 1 or 0.
llvm::Expected<std::string> readBool(llvm::StringRef value);
/// One of these words, in any case.
llvm::Expected<std::string> readWord(llvm::StringRef value,
                                     llvm::ArrayRef<llvm::StringRef> words);

// Knobs that mean the same in several drivers.
inline constexpr OwnKnob kPassKnob = {"dir", "FWD_D", "FWD_D FWD_I BWD_D",
                                      readPass};
inline constexpr OwnKnob kSrcTypeKnob = {"sdt", "f32",
                                         "T,...: data type of src", readType};
inline constexpr OwnKnob kDstTypeKnob = {"ddt", "f32",
                                         "T,...: data type of dst", readType};
inline constexpr OwnKnob kSrcTagKnob = {
    "stag", "abx", "TAG,...: memory format of src", readTag};
inline constexpr OwnKnob kDstTagKnob = {
    "dtag", "any", "TAG,...: memory format of dst", readTag};
/// For drivers whose result may reuse the memory of its first argument.
inline constexpr OwnKnob kInPlaceKnob = {
    "inplace", "false", "true false,...: the result takes src's memory",
    readBool};
/// For drivers whose descriptor is a list of sizes.
inline constexpr OwnKnob kFirstSizeKnob = {
    "mb", "0", "N,...: replaces the first size (0: keeps it)", readSize};

/// Sets problem.invalid unless the list has one item, or one for each source.
void checkItems(Problem &problem, const char *knob, size_t sources);

/// The type that a canonical spelling names; types::None for "undef" or an
/// unset knob.
ElementType typeOf(llvm::StringRef value);
/// The i-th item of a list; a single one serves all.
llvm::StringRef itemOf(llvm::StringRef list, size_t i);
size_t itemCount(llvm::StringRef list);
/// The list, shortened to one item where all are equal.
std::string shortened(llvm::StringRef list);
/// A memory format for a tensor whose layout may be the engine's choice:
/// "undef" becomes any.
std::string freeTag(llvm::StringRef tag);
/// "src", "src1", "src2", ...
std::string sourceRole(size_t i);
/// The first and the second of "A" or "A:B" (A for both).
std::pair<llvm::StringRef, llvm::StringRef> pairOf(llvm::StringRef value);
/// The tags of src and dst: "A:B", or "A" with any for dst.
std::pair<llvm::StringRef, llvm::StringRef> tagsOf(llvm::StringRef value);
/// The f32 that a canonical spelling of readReal stands for.
double realOf(llvm::StringRef value);

/// The problem's pass, from its knob "dir": BwdW stands for BWD_DW.
Direction directionOf(const Problem &problem);
llvm::StringRef passText(Direction direction);

/// Sets the batch of the descriptor (the first size of lists of sizes) to the
/// knob "mb", or else to `mb`, where that is not 0. Resets the knob to 0: from
/// here on the descriptor holds the batch.
void takeBatch(Problem &problem, int64_t mb);

} // namespace assay::verify::drivers
