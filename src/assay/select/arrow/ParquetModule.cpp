// The Arrow adapter: ColumnTable to and from Parquet. It is a separate shared
// module (assay_arrow), loaded when a command reads or writes Parquet, because
// it links libarrow and libparquet from the Python package pyarrow. Arrow may
// throw; no exception leaves this file, only a status and a text.
#include "assay/select/ColumnTable.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace assay::select;

static int report(const std::string &text, char *why, size_t whySize) {
  std::strncpy(why, text.c_str(), whySize - 1);
  why[whySize - 1] = 0;
  return 1;
}

// ---- writing

static arrow::Result<std::shared_ptr<arrow::Array>>
makeArray(const Column &column, int64_t rows) {
  std::shared_ptr<arrow::Array> array;
  switch (column.type) {
  case ColumnType::Float: {
    arrow::DoubleBuilder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues(column.numbers));
    return builder.Finish();
  }
  case ColumnType::Integer: {
    arrow::Int64Builder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues(column.integers));
    return builder.Finish();
  }
  case ColumnType::Boolean: {
    arrow::BooleanBuilder builder;
    for (int64_t value : column.integers)
      ARROW_RETURN_NOT_OK(builder.Append(value != 0));
    return builder.Finish();
  }
  case ColumnType::Text: {
    arrow::StringBuilder builder;
    ARROW_RETURN_NOT_OK(builder.AppendValues(column.texts));
    return builder.Finish();
  }
  }
  return arrow::Status::Invalid("unknown column type");
}

static std::shared_ptr<arrow::DataType> typeOf(ColumnType type) {
  switch (type) {
  case ColumnType::Float:
    return arrow::float64();
  case ColumnType::Integer:
    return arrow::int64();
  case ColumnType::Boolean:
    return arrow::boolean();
  case ColumnType::Text:
    return arrow::utf8();
  }
  return nullptr;
}

static arrow::Status write(const ColumnTable &table, std::string &bytes) {
  std::vector<std::shared_ptr<arrow::Field>> fields;
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const Column &column : table.columns) {
    fields.push_back(arrow::field(column.name, typeOf(column.type)));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Array> array,
                          makeArray(column, table.rows));
    arrays.push_back(std::move(array));
  }
  std::vector<std::string> keys, values;
  for (const auto &[key, value] : table.metadata) {
    keys.push_back(key);
    values.push_back(value);
  }
  auto schema = arrow::schema(fields, arrow::key_value_metadata(keys, values));
  auto data = arrow::Table::Make(schema, arrays, table.rows);
  ARROW_RETURN_NOT_OK(data->ValidateFull());
  ARROW_ASSIGN_OR_RAISE(auto stream, arrow::io::BufferOutputStream::Create());
  auto properties = parquet::WriterProperties::Builder()
                        .compression(parquet::Compression::ZSTD)
                        ->build();
  auto arrowProperties =
      parquet::ArrowWriterProperties::Builder().store_schema()->build();
  ARROW_RETURN_NOT_OK(
      parquet::arrow::WriteTable(*data, arrow::default_memory_pool(), stream,
                                 1 << 18, properties, arrowProperties));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        stream->Finish());
  bytes = buffer->ToString();
  return arrow::Status::OK();
}

// ---- reading

static bool isText(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::LARGE_STRING;
}

/// The number in row i as f64, or false when the type holds no number.
static bool numberAt(const arrow::Array &array, int64_t i, double &out) {
  switch (array.type_id()) {
#define ASSAY_NUMBER(ID, TYPE)                                                 \
  case arrow::Type::ID:                                                        \
    out =                                                                      \
        static_cast<double>(static_cast<const arrow::TYPE &>(array).Value(i)); \
    return true;
    ASSAY_NUMBER(DOUBLE, DoubleArray)
    ASSAY_NUMBER(FLOAT, FloatArray)
    ASSAY_NUMBER(INT64, Int64Array)
    ASSAY_NUMBER(INT32, Int32Array)
    ASSAY_NUMBER(INT16, Int16Array)
    ASSAY_NUMBER(INT8, Int8Array)
    ASSAY_NUMBER(UINT64, UInt64Array)
    ASSAY_NUMBER(UINT32, UInt32Array)
    ASSAY_NUMBER(UINT16, UInt16Array)
    ASSAY_NUMBER(UINT8, UInt8Array)
    ASSAY_NUMBER(BOOL, BooleanArray)
#undef ASSAY_NUMBER
  default:
    return false;
  }
}

static bool isInteger(const arrow::ChunkedArray &array) {
  return arrow::is_integer(array.type()->id()) &&
         array.type()->id() != arrow::Type::UINT64 && array.null_count() == 0;
}

static void appendTexts(const arrow::Array &array, Column &column) {
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i))
      column.texts.emplace_back();
    else if (array.type_id() == arrow::Type::STRING)
      column.texts.push_back(
          static_cast<const arrow::StringArray &>(array).GetString(i));
    else
      column.texts.push_back(
          static_cast<const arrow::LargeStringArray &>(array).GetString(i));
  }
}

static int64_t integerAt(const arrow::Array &array, int64_t i) {
  if (array.type_id() == arrow::Type::INT64)
    return static_cast<const arrow::Int64Array &>(array).Value(i);
  double value = 0;
  numberAt(array, i, value);
  return static_cast<int64_t>(value);
}

/// Appends the column if ColumnTable has its type; decodes dictionaries of
/// text.
static arrow::Status readColumn(const std::string &name,
                                const arrow::ChunkedArray &chunks,
                                ColumnTable &table) {
  arrow::Type::type id = chunks.type()->id();
  double ignored = 0;
  Column column{name, ColumnType::Float, {}, {}, {}};
  bool isDictionary =
      id == arrow::Type::DICTIONARY &&
      isText(static_cast<const arrow::DictionaryType &>(*chunks.type())
                 .value_type()
                 ->id());
  if (isText(id) || isDictionary)
    column.type = ColumnType::Text;
  else if (id == arrow::Type::BOOL && chunks.null_count() == 0)
    column.type = ColumnType::Boolean;
  else if (isInteger(chunks))
    column.type = ColumnType::Integer;
  else if (chunks.num_chunks() > 0 && chunks.chunk(0)->length() > 0 &&
           !numberAt(*chunks.chunk(0), 0, ignored))
    return arrow::Status::OK(); // lists, times and other types
  for (const std::shared_ptr<arrow::Array> &chunk : chunks.chunks()) {
    if (isDictionary) {
      const auto &dictionary =
          static_cast<const arrow::DictionaryArray &>(*chunk);
      Column words{name, ColumnType::Text, {}, {}, {}};
      appendTexts(*dictionary.dictionary(), words);
      for (int64_t i = 0; i < chunk->length(); ++i) {
        if (!chunk->IsNull(i) && static_cast<size_t>(dictionary.GetValueIndex(
                                     i)) >= words.texts.size())
          return arrow::Status::Invalid(
              "column '", name, "' has a dictionary index out of range");
        column.texts.push_back(
            chunk->IsNull(i) ? "" : words.texts[dictionary.GetValueIndex(i)]);
      }
    } else if (column.type == ColumnType::Text) {
      appendTexts(*chunk, column);
    } else if (column.type == ColumnType::Float) {
      for (int64_t i = 0; i < chunk->length(); ++i) {
        double value = std::numeric_limits<double>::quiet_NaN();
        if (!chunk->IsNull(i))
          numberAt(*chunk, i, value);
        column.numbers.push_back(value);
      }
    } else {
      for (int64_t i = 0; i < chunk->length(); ++i)
        column.integers.push_back(integerAt(*chunk, i));
    }
  }
  table.columns.push_back(std::move(column));
  return arrow::Status::OK();
}

static arrow::Status read(const char *path, ColumnTable &table) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reader, parquet::arrow::OpenFile(
                                         file, arrow::default_memory_pool()));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Table> data,
                        reader->ReadTable());
  ARROW_RETURN_NOT_OK(data->ValidateFull());
  table.rows = data->num_rows();
  for (int i = 0; i < data->num_columns(); ++i)
    ARROW_RETURN_NOT_OK(
        readColumn(data->field(i)->name(), *data->column(i), table));
  if (auto metadata = data->schema()->metadata())
    for (int64_t i = 0; i < metadata->size(); ++i)
      table.metadata[metadata->key(i)] = metadata->value(i);
  return arrow::Status::OK();
}

template <typename Action>
static int guarded(Action action, char *why, size_t whySize) {
  try {
    arrow::Status status = action();
    return status.ok() ? 0 : report(status.message(), why, whySize);
  } catch (const std::exception &error) {
    return report(error.what(), why, whySize);
  }
}

extern "C" int assay_parquet_write(const ColumnTable *table, std::string *bytes,
                                   char *why, size_t whySize) {
  return guarded([&] { return write(*table, *bytes); }, why, whySize);
}

extern "C" int assay_parquet_read(const char *path, ColumnTable *table,
                                  char *why, size_t whySize) {
  return guarded([&] { return read(path, *table); }, why, whySize);
}
