// Source: the codes of stablehlo/dialect/ChloBytecode.cpp of openxla/stablehlo.
#include "assay/dialect/ChloBytecode.h"
#include "assay/dialect/BytecodeFields.h"
#include "assay/dialect/Stablehlo.h"

namespace assay::chlo {

using namespace mlir;

namespace {
enum Code : uint64_t { kDirection, kType };

class Interface : public BytecodeDialectInterface {
public:
  explicit Interface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(bytecode::Reader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == kDirection)
      return bytecode::readEnum<ComparisonDirectionAttr>(
          reader, [](uint32_t i) {
            return stablehlo::symbolizeComparisonDirection(i);
          });
    if (code == kType)
      return bytecode::readEnum<ComparisonTypeAttr>(reader, [](uint32_t i) {
        return stablehlo::symbolizeComparisonType(i);
      });
    return reader.emitError("an attribute of chlo has the unknown code ")
               << code,
           Attribute();
  }
  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    auto direction = dyn_cast<ComparisonDirectionAttr>(attribute);
    auto type = dyn_cast<ComparisonTypeAttr>(attribute);
    if (!direction && !type)
      return failure();
    writer.writeVarInt(direction ? kDirection : kType);
    writer.writeVarInt(direction ? static_cast<uint64_t>(direction.getValue())
                                 : static_cast<uint64_t>(type.getValue()));
    return success();
  }
};
} // namespace

void addBytecode(ChloDialect &dialect) { dialect.addInterfaces<Interface>(); }

} // namespace assay::chlo
