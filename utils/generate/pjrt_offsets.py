#!/usr/bin/env python3
"""Prints sizes and offsets of the PJRT C API, from its header, as rows for src/assay/pjrt_abi/AbiTest.cpp.

    utils/generate/pjrt_offsets.py pjrt_c_api.h > src/assay/pjrt_abi/Offsets.def

The header is in the wheel tensorflow-cpu (tensorflow/include/xla/pjrt/c/); a program that prints them is compiled with it. The output has
only figures and names of fields: no text of the header is kept.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def rows(text):
    """(structure, fields) of every argument structure and of the structures that they contain."""
    text = re.sub(r"//[^\n]*", "", text)
    for name, body in re.findall(r"struct (PJRT_\w+) \{\n(.*?)\n\}", text, re.S):
        wanted = name.endswith("_Args") and "Callback" not in name
        if wanted or name in ("PJRT_NamedValue", "PJRT_Program", "PJRT_ExecuteOptions", "PJRT_Buffer_MemoryLayout", "PJRT_Api_Version"):
            body = re.sub(r"union \{.*?\};", lambda union: union.group(0)[len("union {") : -2], body, flags=re.S)
            body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)
            yield name, re.findall(r"(\w+)\s*;", body)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    header = pathlib.Path(sys.argv[1]).resolve()
    text = header.read_text()
    lines = [f'#include "{header}"', "#include <cstdio>", "int main() {"]
    for name, fields in rows(text):
        own = name[len("PJRT_") :].removesuffix("_Args").replace("_", "")
        kind = "ARGS" if name.endswith("_Args") else "OTHER"
        lines.append(f'std::printf("{kind}_SIZE({own}, %zu)\\n", sizeof({name}));')
        for field in fields:
            lines.append(f'std::printf("{kind}_FIELD({own}, {field}, %zu)\\n", offsetof({name}, {field}));')
    for name in re.findall(r"_PJRT_API_STRUCT_FIELD\((PJRT_\w+)\);", text):
        lines.append(f'std::printf("FUNCTION({name[5:].replace("_", "")}, %zu)\\n", offsetof(PJRT_Api, {name}));')
    lines.append("}")
    minor = re.search(r"#define PJRT_API_MINOR (\d+)", text).group(1)
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "offsets.cpp", pathlib.Path(folder) / "offsets"
        source.write_text("\n".join(lines))
        subprocess.run(["c++", "-std=c++20", "-w", source, "-o", program], check=True)
        out = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(f"// Sizes and offsets of the PJRT C API 0.{minor}: made by utils/generate/pjrt_offsets.py from the header in tensorflow-cpu 2.21.")
    print(out, end="")


main()
