# One CMake target per folder of src/assay. A component may include only the components that it names in DEPENDS (and
# what those name): the arrows of docs/architecture.md are the DEPENDS lists. The include path holds nothing else: each
# component has a folder of the build with one link to its sources, so that any other "assay/NAME/..." is not found.
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
  assay_include_path(${target})
  if(ARG_TESTS)
    add_executable(${NAME}_tests ${ARG_TESTS})
    target_link_libraries(${NAME}_tests PRIVATE ${target} GTest::gtest_main)
    add_test(NAME unit.${NAME} COMMAND ${NAME}_tests --gtest_output=xml:${CMAKE_BINARY_DIR}/results/unit.${NAME}.xml)
    set_property(GLOBAL APPEND PROPERTY ASSAY_RESULTS unit.${NAME})
    set_tests_properties(unit.${NAME} PROPERTIES LABELS unit TIMEOUT 600)
  endif()
endfunction()

# Lets a target, and those that link it, include the current folder as "assay/FOLDER/...", by a link in a folder of the
# build that has no other; and what the build generates.
function(assay_include_path target)
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  get_filename_component(parent ${root}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(RELATIVE_PATH origin ${parent} ${CMAKE_CURRENT_SOURCE_DIR})
  file(CREATE_LINK ${origin} ${root}/${folder} SYMBOLIC)
  target_include_directories(${target} PUBLIC ${root} ${PROJECT_BINARY_DIR}/src)
endfunction()
