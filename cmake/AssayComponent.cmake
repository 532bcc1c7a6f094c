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
  assay_compiled_headers(${target} ${NAME} ${ARG_DEPENDS})
  if(ARG_TESTS)
    add_executable(${NAME}_tests ${ARG_TESTS})
    target_link_libraries(${NAME}_tests PRIVATE ${target} GTest::gtest_main)
    assay_compiled_headers(${NAME}_tests ${NAME})
    assay_test(unit.${NAME} COMMAND ${NAME}_tests --gtest_output=xml:${CMAKE_BINARY_DIR}/results/unit.${NAME}.xml)
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

# Headers that are compiled once, by src/assay/dialect: MLIR's and the dialect's, which cost a file more than its own text. Every target
# that stands on one of the components named takes them, if that is the dialect or stands on it; a component below the dialect
# sees none of it. cmake -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without, and so finds a file that lacks an #include.
function(assay_compiled_headers target)
  foreach(component ${ARGN})
    if(component STREQUAL dialect)
      set(above TRUE)
    else()
      get_target_property(own assay_${component} ASSAY_ABOVE_DIALECT)
      if(own)
        set(above TRUE)
      endif()
    endif()
  endforeach()
  if(above)
    set_target_properties(${target} PROPERTIES ASSAY_ABOVE_DIALECT TRUE)
    target_precompile_headers(${target} REUSE_FROM assay_headers)
  endif()
endfunction()
