# assay reduce: from a wrong model to a test of one operation.
# More: docs/reduce.md
plugin=plugin:build/release/lib/libassay_example.so
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo "The gradients of a CNN on a plugin that drops one term of every sum: which operation is wrong, and the smallest case that shows it?"
ASSAY_EXAMPLE_FAULT=drop_k assay reduce test/programs/cnn_gradients.mlir --expect test/programs/cnn_gradients.npz --engine "$plugin" \
  -o "$folder/small.mlir"
echo
cat "$folder/small.mlir"
echo "It fails on the faulty engine and passes on a right one:"
if ASSAY_EXAMPLE_FAULT=drop_k assay test "$folder/small.mlir" --engine "$plugin"; then
  echo "demo: the smallest test does not fail" >&2
  exit 1
fi
assay test "$folder/small.mlir" --engine "$plugin"
