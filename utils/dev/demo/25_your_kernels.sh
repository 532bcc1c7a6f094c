# A whole model on kernels of your own: a plugin in C99 runs the products of a transformer block.
# More: docs/plugins.md
plugin=plugin:build/release/lib/libassay_example.so
block=test/programs/transformer_block
run() { assay run "$block.mlir" --input "$block.npz" --expect "$block.npz" --engine "$plugin" "$@"; }

echo "A transformer block, its six products on the kernels of a plugin, judged against what XLA gave:"
run

echo
echo "The same with a kernel that drops one term of every sum:"
if ASSAY_EXAMPLE_FAULT=drop_k run --quiet; then
  echo "the fault was not seen" >&2
  exit 1
fi
echo "Exit code 1: the model is wrong on these kernels; 'assay verify' says which kernel, and how."

echo
echo "Any engine can run in a process of its own: a loop without end becomes an error with the engine's name."
assay run "$block.mlir" --input "$block.npz" --expect "$block.npz" --engine native --isolate
if assay run test/cli/Inputs/isolate.mlir --entry endless --isolate --max-seconds 1; then
  echo "the hang was not seen" >&2
  exit 1
fi
