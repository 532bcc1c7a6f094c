# Every test of the suite is added here, so that each has temporary and XDG folders of its own (utils/gates/own_folders).
#
#   assay_test(NAME [WORKING_DIRECTORY folder] COMMAND program argument ...)
#
# The program may be a target. Properties are set by set_tests_properties, as for add_test.
function(assay_test NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "WORKING_DIRECTORY" "COMMAND")
  list(POP_FRONT ARG_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  add_test(NAME ${NAME} WORKING_DIRECTORY ${ARG_WORKING_DIRECTORY}
    COMMAND ${CMAKE_SOURCE_DIR}/utils/gates/own_folders ${CMAKE_BINARY_DIR} ${NAME} ${program} ${ARG_COMMAND})
endfunction()
