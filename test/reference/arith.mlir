// Operations of arith that exporters put around dynamic shapes, on numbers and on tensors; expected values are two's complement
// arithmetic by hand.
// RUN: assay test %s

func.func @sums_and_products() {
  %a = arith.constant -7 : i64
  %b = arith.constant 2 : i64
  %0 = arith.addi %a, %b : i64
  %1 = arith.subi %a, %b : i64
  %2 = arith.muli %a, %b : i64
  %3 = arith.divsi %a, %b : i64
  %4 = arith.remsi %a, %b : i64
  %5 = arith.floordivsi %a, %b : i64
  %6 = arith.ceildivsi %a, %b : i64
  %7 = arith.minsi %a, %b : i64
  %8 = arith.maxsi %a, %b : i64
  %all = tensor.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<9xi64>
  check.expect_eq_const %all, dense<[-5, -9, -14, -3, -1, -4, -3, -7, 2]> : tensor<9xi64>
  return
}

func.func @rounded_divisions_of_all_signs() {
  %a = arith.constant dense<[7, -7, 7, -7, 6, -6]> : tensor<6xi32>
  %b = arith.constant dense<[2, 2, -2, -2, 3, 3]> : tensor<6xi32>
  %0 = arith.floordivsi %a, %b : tensor<6xi32>
  %1 = arith.ceildivsi %a, %b : tensor<6xi32>
  check.expect_eq_const %0, dense<[3, -4, -4, 3, 2, -2]> : tensor<6xi32>
  check.expect_eq_const %1, dense<[4, -3, -3, 4, 2, -2]> : tensor<6xi32>
  return
}

func.func @unsigned() {
  %a = arith.constant -1 : i8
  %b = arith.constant 10 : i8
  %0 = arith.divui %a, %b : i8
  %1 = arith.remui %a, %b : i8
  %2 = arith.minui %a, %b : i8
  %3 = arith.maxui %a, %b : i8
  %all = tensor.from_elements %0, %1, %2, %3 : tensor<4xi8>
  check.expect_eq_const %all, dense<[25, 5, 10, -1]> : tensor<4xi8>
  return
}

func.func @bits() {
  %a = arith.constant -8 : i16
  %b = arith.constant 3 : i16
  %0 = arith.andi %a, %b : i16
  %1 = arith.ori %a, %b : i16
  %2 = arith.xori %a, %b : i16
  %3 = arith.shli %a, %b : i16
  %4 = arith.shrsi %a, %b : i16
  %5 = arith.shrui %a, %b : i16
  %all = tensor.from_elements %0, %1, %2, %3, %4, %5 : tensor<6xi16>
  check.expect_eq_const %all, dense<[0, -5, -5, -64, -1, 8191]> : tensor<6xi16>
  return
}

func.func @comparisons() {
  %a = arith.constant -1 : i32
  %b = arith.constant 1 : i32
  %0 = arith.cmpi eq, %a, %b : i32
  %1 = arith.cmpi ne, %a, %b : i32
  %2 = arith.cmpi slt, %a, %b : i32
  %3 = arith.cmpi sle, %a, %b : i32
  %4 = arith.cmpi sgt, %a, %b : i32
  %5 = arith.cmpi sge, %a, %b : i32
  %6 = arith.cmpi ult, %a, %b : i32
  %7 = arith.cmpi ule, %a, %b : i32
  %8 = arith.cmpi ugt, %a, %b : i32
  %9 = arith.cmpi uge, %a, %b : i32
  %all = tensor.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<10xi1>
  check.expect_eq_const %all, dense<[false, true, true, true, false, false, false, false, true, true]> : tensor<10xi1>
  return
}

func.func @comparisons_of_floats() {
  %a = arith.constant dense<[1.0, 2.0, 0x7FC00000]> : tensor<3xf32>
  %b = arith.constant dense<2.0> : tensor<3xf32>
  %0 = arith.cmpf olt, %a, %b : tensor<3xf32>
  %1 = arith.cmpf oge, %a, %b : tensor<3xf32>
  %2 = arith.cmpf une, %a, %b : tensor<3xf32>
  check.expect_eq_const %0, dense<[true, false, false]> : tensor<3xi1>
  check.expect_eq_const %1, dense<[false, true, false]> : tensor<3xi1>
  check.expect_eq_const %2, dense<[true, false, true]> : tensor<3xi1>
  return
}

func.func @conversions() {
  %n = arith.constant -2 : i8
  %t = arith.constant true
  %i = arith.index_cast %n : i8 to index
  %0 = arith.index_cast %i : index to i64
  %1 = arith.extsi %n : i8 to i64
  %2 = arith.extui %n : i8 to i64
  %3 = arith.extsi %t : i1 to i64
  %4 = arith.extui %t : i1 to i64
  %wide = arith.constant 65535 : i64
  %narrow = arith.trunci %wide : i64 to i8
  %5 = arith.extsi %narrow : i8 to i64
  %all = tensor.from_elements %0, %1, %2, %3, %4, %5 : tensor<6xi64>
  check.expect_eq_const %all, dense<[-2, -2, 254, -1, 1, -1]> : tensor<6xi64>
  %6 = arith.sitofp %n : i8 to f32
  %7 = arith.uitofp %n : i8 to f32
  %half = arith.constant 2.5 : f64
  %8 = arith.truncf %half : f64 to f32
  %floats = tensor.from_elements %6, %7, %8 : tensor<3xf32>
  check.expect_eq_const %floats, dense<[-2.0, 254.0, 2.5]> : tensor<3xf32>
  %9 = arith.fptosi %half : f64 to i32
  %whole = tensor.from_elements %9 : tensor<1xi32>
  check.expect_eq_const %whole, dense<[2]> : tensor<1xi32>
  return
}

func.func @select_and_floats() {
  %no = arith.constant false
  %a = arith.constant 1.5 : f32
  %b = arith.constant 4.0 : f32
  %0 = arith.select %no, %a, %b : f32
  %1 = arith.addf %a, %b : f32
  %2 = arith.subf %a, %b : f32
  %3 = arith.mulf %a, %b : f32
  %4 = arith.divf %a, %b : f32
  %5 = arith.negf %a : f32
  %6 = arith.minimumf %a, %b : f32
  %7 = arith.maximumf %a, %b : f32
  %all = tensor.from_elements %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8xf32>
  check.expect_eq_const %all, dense<[4.0, 5.5, -2.5, 6.0, 0.375, -1.5, 1.5, 4.0]> : tensor<8xf32>
  return
}
