# dev_recipes: makes the examples of test/recipes by the recipes of CONTRIBUTING.md in a copy of the tree, builds them and runs
# their commands. The test golden.recipes only compares the files.

dev_recipes() {
  python3 test/recipes/recipes.py --build build/recipes
}
