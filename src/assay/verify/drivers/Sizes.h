/// Shared parts of the descriptors of drivers with [mb, channels, spatial...]
/// tensors, and of drivers with plain lists of sizes.
#pragma once

#include "assay/verify/Driver.h"

namespace assay::verify::drivers {

/// Removes "LETTERS" and the real number after it from a descriptor (but not
/// from its name); `value` does not change when the letters are absent.
/// Errors: InvalidArgument when no number follows.
llvm::Error takeReal(std::string &token, llvm::StringRef letters,
                     double &value);

/// Reads "mbX_icX_idXihXiwX..." with `fields`, then derives missing sizes: mb
/// is 2, the highest spatial size serves for the lower ones, `ndims` follows
/// from the sizes that are present (2: none). With outputs, od, oh or ow must
/// be present where id, ih or iw is.
llvm::Expected<Descriptor> readSpatial(llvm::StringRef token,
                                       llvm::ArrayRef<DescriptorField> fields,
                                       bool hasOutputs, std::string &name);
/// "mb5ic3ih7" (mb left out when it is 2), the reverse of readSpatial.
std::string sizesText(const Descriptor &descriptor, bool hasOutputs);

/// [mb, ic, id, ih, iw] and [mb, ic, od, oh, ow] with `ndims` entries.
Dims inputDims(const Descriptor &descriptor);
Dims outputDims(const Descriptor &descriptor);

/// mb, ic and the spatial sizes as letters of problem_json; with outputs also
/// od oh ow, and for windows kernel, strides, padding and dilation.
void sizesJson(const Descriptor &descriptor, bool hasOutputs,
               llvm::json::Object &object);
void windowJson(const Descriptor &descriptor, llvm::json::Object &object);

/// Reads "AxBxC:DxE", one list per tensor (`lists` of them; 0: any number), with
/// an optional n"NAME" or _n"NAME" at the end.
/// Errors: InvalidArgument for another number of lists, or a size that is not a
/// number from 0 to 2^40.
llvm::Expected<std::vector<Dims>> readDims(llvm::StringRef token, size_t lists,
                                           std::string &name);

/// The reverse, for drivers whose descriptor is lists of sizes.
std::string shapesText(const Problem &problem);

/// Driver::parse of such drivers: reads `lists` lists of sizes into
/// problem.shapes and the pass into problem.direction.
llvm::Error readShapes(llvm::StringRef token, size_t lists, Problem &problem);
/// The same for two tensors, the second of which broadcasts: sizes of 1 are
/// added to it, and the knobs sdt and stag must have an item for each.
/// Errors: InvalidArgument with `tooLong` when the second has more sizes.
llvm::Error readShapePair(llvm::StringRef token, const char *tooLong,
                          Problem &problem);
/// Driver::dims for drivers whose tensors all have the sizes of the first list.
Dims firstDims(const Problem &problem, Role role);
/// "dims" (of the first list) and "dt" of problem_json.
void shapeJson(const Problem &problem, llvm::ArrayRef<llvm::StringRef> types,
               llvm::json::Object &object);

/// The shortest text that is parsed as the f32 nearest to `value`.
std::string realText(double value);

} // namespace assay::verify::drivers
