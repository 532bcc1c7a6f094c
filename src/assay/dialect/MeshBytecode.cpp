// Device meshes, their axes and the replica groups that refer to them, in the
// bytecode of the stablehlo dialect. Source: StablehloBytecode of
// openxla/stablehlo; its codes never change.
#include "assay/dialect/StablehloAttrs.h"
#include "assay/dialect/StablehloBytecode.h"

#include "llvm/ADT/TypeSwitch.h"

namespace assay::stablehlo {

using namespace mlir;
using bytecode::Reader;
using Writer = DialectBytecodeWriter;

namespace {
enum Code : uint64_t { kGroups = 18, kSubAxis, kAxis, kMeshAxis, kMesh };
} // namespace

static Attribute readGroups(Reader &reader) {
  Attribute mesh;
  llvm::SmallVector<Attribute> axes;
  if (failed(reader.readAttribute(mesh)) || failed(reader.readAttributes(axes)))
    return {};
  return ReplicaGroupMeshAxesAttr::get(
      reader.getContext(), mesh, ArrayAttr::get(reader.getContext(), axes));
}

static Attribute readAxis(Reader &reader) {
  StringRef name;
  bool isPart = false;
  SubAxisInfoAttr part;
  if (failed(reader.readString(name)) || failed(reader.readBool(isPart)) ||
      (isPart && failed(reader.readAttribute(part))))
    return {};
  return AxisRefAttr::get(reader.getContext(), name, part);
}

static Attribute readMesh(Reader &reader) {
  ArrayAttr axes;
  bool hasDevices = false;
  DenseIntElementsAttr devices;
  if (failed(reader.readAttribute(axes)) ||
      failed(reader.readBool(hasDevices)) ||
      (hasDevices && failed(reader.readAttribute(devices))))
    return {};
  llvm::SmallVector<MeshAxisAttr> list;
  for (Attribute axis : axes)
    if (auto one = llvm::dyn_cast<MeshAxisAttr>(axis))
      list.push_back(one);
    else
      return reader.emitError("a mesh has an axis of another kind"),
             Attribute();
  return MeshAttr::get(reader.getContext(), list, devices);
}

std::optional<Attribute> readOfMesh(uint64_t code, bytecode::Fields &in) {
  MLIRContext *context = in.reader.getContext();
  StringRef name;
  switch (code) {
  case kGroups:
    return readGroups(in.reader);
  case kSubAxis: {
    int64_t before = in.integer(), size = in.integer();
    return in.ok ? SubAxisInfoAttr::get(context, before, size) : Attribute();
  }
  case kAxis:
    return readAxis(in.reader);
  case kMeshAxis: {
    in.ok = succeeded(in.reader.readString(name));
    int64_t size = in.integer();
    return in.ok ? MeshAxisAttr::get(context, name, size) : Attribute();
  }
  case kMesh:
    return readMesh(in.reader);
  default:
    return std::nullopt;
  }
}

LogicalResult writeOfMesh(Attribute attr, Writer &writer) {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
      .Case([&](ReplicaGroupMeshAxesAttr a) {
        writer.writeVarInt(kGroups);
        writer.writeAttribute(a.getMesh());
        writer.writeAttributes(a.getAxes().getValue());
        return success();
      })
      .Case([&](SubAxisInfoAttr a) {
        writer.writeVarInt(kSubAxis);
        writer.writeSignedVarInt(a.getPreSize());
        return writer.writeSignedVarInt(a.getSize()), success();
      })
      .Case([&](AxisRefAttr a) {
        writer.writeVarInt(kAxis);
        writer.writeOwnedString(a.getName());
        writer.writeOwnedBool(static_cast<bool>(a.getSubAxisInfo()));
        if (a.getSubAxisInfo())
          writer.writeAttribute(a.getSubAxisInfo());
        return success();
      })
      .Case([&](MeshAxisAttr a) {
        writer.writeVarInt(kMeshAxis);
        writer.writeOwnedString(a.getName());
        return writer.writeSignedVarInt(a.getSize()), success();
      })
      .Case([&](MeshAttr a) {
        writer.writeVarInt(kMesh);
        llvm::SmallVector<Attribute> axes(a.getAxes().begin(),
                                          a.getAxes().end());
        writer.writeAttribute(ArrayAttr::get(a.getContext(), axes));
        writer.writeOwnedBool(static_cast<bool>(a.getDeviceIds()));
        if (a.getDeviceIds())
          writer.writeAttribute(a.getDeviceIds());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

} // namespace assay::stablehlo
