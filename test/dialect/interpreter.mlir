// the interpreter dialect: the syntax in both forms, and the constraints, each in a function named after it.
// RUN: assay-opt --split-input-file --verify-diagnostics %s | FileCheck %s
// RUN: assay-opt --split-input-file --verify-diagnostics --mlir-print-op-generic %s | assay-opt --split-input-file | FileCheck %s

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
// CHECK-LABEL: func.func @interpreter(
func.func @interpreter(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) {
  // CHECK: "interpreter.run_parallel"(%{{[^ ,:)]+}}) <{programs = {{\[\[}}@f]]}> : (tensor<2xf32>) -> tensor<2xf32>
  %r0 = "interpreter.run_parallel"(%a) <{programs = [[@f]]}> : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: interpreter.print %{{[^ ,:)]+}} : tensor<2xf32>
  interpreter.print %b : tensor<2xf32>
  // CHECK: interpreter.probe %{{[^ ,:)]+}}, probe_id = "p" : tensor<2xf32>
  %r2 = interpreter.probe %c, probe_id = "p" : tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_empty() {
  // expected-error@+1 {{must name at least one function}}
  "interpreter.run_parallel"() <{programs = []}> : () -> ()
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_grid(%a: tensor<2xf32>) {
  // expected-error@+1 {{row 0 names 1 functions, row 1 names 2}}
  %0 = "interpreter.run_parallel"(%a) <{programs = [[@f], [@f, @f]]}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_function(%a: tensor<2xf32>) {
  // expected-error@+1 {{no function named 'g'}}
  %0 = "interpreter.run_parallel"(%a) <{programs = [[@g]]}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_operands() {
  // expected-error@+1 {{operands must have the types of all arguments of the programs, 1 values, got 0}}
  %0 = "interpreter.run_parallel"() <{programs = [[@f]]}> : () -> tensor<2xf32>
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_results(%a: tensor<2xf32>) {
  // expected-error@+1 {{results must have the types of all results}}
  "interpreter.run_parallel"(%a) <{programs = [[@f]]}> : (tensor<2xf32>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @run_parallel_infeed(%a: tensor<2xf32>) {
  // expected-error@+1 {{must take nothing and return one tensor}}
  %0 = "interpreter.run_parallel"(%a) <{infeed = [@f], programs = [[@f]]}> : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @probe_type(%a: tensor<2xf32>) {
  // expected-error@+1 {{returns}}
  %0 = interpreter.probe %a, probe_id = "p" : (tensor<2xf32>) -> tensor<3xf32>
  return
}
