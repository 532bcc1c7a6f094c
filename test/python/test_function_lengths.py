"""utils/gates/loc.py finds every function, however it is written, and names the one that is too long."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils" / "gates"))

import cpp_functions  # noqa: E402
import loc  # noqa: E402

TEXT = r"""#include "x.h"
#define OPEN {
namespace a::b {
enum class Kind : char { One = '{', Two = '\'' };
static constexpr int kTable[] = {1'000, 2};
static const Row kRows[] = {{"a{", [](int x) {
  return x; }}};
struct Pair final : Base<void(int)> {
  Pair(int left, Options options = {})
      : left_{left}, right_(options.right) {
    /* } */
  }
  explicit(true) operator bool() const { return left_; }
  Pair &operator=(const Pair &) = default;
  Pair &operator+=(Pair other) { return *this = other; }
  bool operator()(int x) const noexcept { return x; }
  int left_{0}, right_ = {};
};
MAKE_CLASS(Square, 2)
template <double (*Function)(double), typename T = std::vector<int>> struct Fast {
  template <typename U = int> static auto call(U value) -> decltype(Function(value)) {
    auto inner = [&] { struct Local { void f() {} }; };
    return Function(value);
  }
};
static llvm::Expected<std::pair<int, int>>
several(const char *text = "){",
        int number = 2) {
  const char *raw = R"(}}})"; // }
  return {};
}
TEST(Suite, Name) {
  if (raw) {
  }
}
extern "C" {
int plain(void) { return '"'; }
}
static auto kLambda = [](int x) -> int {
  return x;
};
} // namespace a::b
"""


def test_every_kind_of_function_is_found_with_its_lines():
    assert cpp_functions.functions(TEXT) == [
        ("a lambda", 6, 7), ("Pair", 9, 12), ("operatorbool", 13, 13), ("operator+=", 15, 15),
        ("operator()", 16, 16), ("call", 21, 24), ("several", 26, 31), ("TEST(Suite,Name)", 32, 35), ("plain", 37, 37),
        ("a lambda", 39, 41)]


def test_braces_that_do_not_match_are_an_error():
    for text, message in (("void f() {\n", "a brace is not closed"), ("}\n", "line 1: a brace is closed")):
        try:
            cpp_functions.functions(text)
        except ValueError as error:
            assert message in str(error)
        else:
            raise AssertionError(f"nothing was said about {text!r}")


def write(tmp_path, monkeypatch, lines, exceptions=()):
    monkeypatch.setattr(loc, "ROOT", tmp_path)
    monkeypatch.setattr(loc, "EXCEPTIONS", dict(exceptions))
    path = tmp_path / "x.cpp"
    path.write_text("int before;\nvoid f() {\n" + "  g();\n" * (lines - 2) + "}\n")
    return loc.long_functions([path])


def test_a_function_of_60_lines_passes_and_one_of_61_is_named(tmp_path, monkeypatch):
    assert write(tmp_path, monkeypatch, 60) == ([], 1, 60)
    assert write(tmp_path, monkeypatch, 61)[0] == ["x.cpp:2: f has 61 lines, at most 60: name its parts"]


def test_an_exception_holds_while_it_is_needed(tmp_path, monkeypatch):
    listed = {("x.cpp", "f"): "a table"}
    assert write(tmp_path, monkeypatch, 61, listed)[0] == []
    assert write(tmp_path, monkeypatch, 60, listed)[0] == ["x.cpp: f needs no exception any more"]


def test_the_program_says_how_many_functions_it_saw():
    said = subprocess.run([sys.executable, ROOT / "utils/gates/loc.py", "src/assay/support"], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    line = next(line for line in said.stdout.splitlines() if "C++ functions" in line)
    assert int(line.split()[0]) > 50
