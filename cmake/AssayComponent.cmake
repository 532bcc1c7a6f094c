# One CMake target per folder of src/assay. A component may include only the components that it names in DEPENDS (and
# what those name): the arrows of docs/architecture.md are the DEPENDS lists.
#
#   assay_component(NAME SOURCES a.cpp ... [DEPENDS support ...] [LINK lib ...] [TESTS aTest.cpp ...])
#
# makes the static library assay_NAME (alias assay::NAME) and, with TESTS, the GoogleTest program NAME_tests, which runs
# under ctest with the label `unit`.
function(assay_component NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK;TESTS" ${ARGN})
  set(target assay_${NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(assay::${NAME} ALIAS ${target})
  foreach(dep ${ARG_DEPENDS})
    target_link_libraries(${target} PUBLIC assay::${dep})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINK})
  if(ARG_TESTS)
    add_executable(${NAME}_tests ${ARG_TESTS})
    target_link_libraries(${NAME}_tests PRIVATE ${target} GTest::gtest_main)
    add_test(NAME unit.${NAME} COMMAND ${NAME}_tests)
    set_tests_properties(unit.${NAME} PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()
