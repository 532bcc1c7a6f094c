/// The C++ form of assay.h: C++17, one header, no types of other libraries.
///
///   assay::Program model = assay::Program::load("model.mlir");
///   std::vector<assay::Array> results = model.run({x.data(), weights.data()});
///   const float *logits = results[0].data<float>();
#pragma once

#include "assay.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay {

/// The error that a function of assay.h returned: its message and code.
class Failure : public std::runtime_error {
public:
  Failure(int code, const std::string &message)
      : std::runtime_error(message), code(code) {}
  int code;
};

struct Type {
  std::string dtype;
  std::vector<int64_t> shape;
  size_t sizeBytes = 0;
};

/// A result: its type and its elements.
struct Array {
  Type type;
  std::vector<unsigned char> bytes;
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
  template <typename T> size_t count() const {
    return bytes.size() / sizeof(T);
  }
};

struct Options {
  std::string entry, engine;
  int threads = 0;
  int64_t maxMemory = 0;
  std::string alg; ///< for convolutions: direct (or empty), wino, auto
};

class Program {
public:
  /// Throws Failure.
  static Program load(const std::string &path, const Options &options = {}) {
    return make(assay_program_load, path, options);
  }
  static Program parse(const std::string &text, const Options &options = {}) {
    return make(assay_program_parse, text, options);
  }

  std::vector<Type> inputs() const {
    return types(assay_program_input_count, assay_program_input);
  }
  std::vector<Type> outputs() const {
    return types(assay_program_output_count, assay_program_output);
  }

  /// `arguments`: addresses of dense elements. Throws Failure.
  std::vector<Array> run(const std::vector<const void *> &arguments) {
    if (arguments.size() != assay_program_input_count(program_.get()))
      throw Failure(ASSAY_BAD_INPUT,
                    "the program takes " +
                        std::to_string(
                            assay_program_input_count(program_.get())) +
                        " arguments, got " + std::to_string(arguments.size()));
    std::vector<Array> results;
    std::vector<void *> addresses;
    for (Type &type : outputs()) {
      std::vector<unsigned char> bytes(type.sizeBytes);
      results.push_back({std::move(type), std::move(bytes)});
    }
    for (Array &result : results)
      addresses.push_back(result.bytes.data());
    char message[4096] = "";
    if (int code = assay_program_run(program_.get(), arguments.data(),
                                     addresses.data(), message, sizeof message))
      throw Failure(code, message);
    return results;
  }

private:
  explicit Program(assay_program_t *program)
      : program_(program, assay_program_free) {}

  template <typename Maker>
  static Program make(Maker maker, const std::string &source,
                      const Options &options) {
    assay_options_t plain = {};
    plain.struct_size = sizeof plain;
    plain.threads = options.threads;
    plain.max_memory = options.maxMemory;
    plain.entry = options.entry.c_str();
    plain.engine = options.engine.empty() ? nullptr : options.engine.c_str();
    plain.alg = options.alg.empty() ? nullptr : options.alg.c_str();
    assay_program_t *program = nullptr;
    char message[4096] = "";
    if (int code =
            maker(source.c_str(), &plain, &program, message, sizeof message))
      throw Failure(code, message);
    return Program(program);
  }

  template <typename Count, typename One>
  std::vector<Type> types(Count count, One one) const {
    std::vector<Type> all;
    for (size_t i = 0; i < count(program_.get()); ++i) {
      assay_type_t type = one(program_.get(), i);
      all.push_back(
          {type.dtype, {type.shape, type.shape + type.rank}, type.size_bytes});
    }
    return all;
  }

  std::shared_ptr<assay_program_t> program_;
};

} // namespace assay
