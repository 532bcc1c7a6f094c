# `cmake --install build/release --prefix DIR`: both programs, the modules that they load (../lib beside them), the header that
# plugins need, the batch files of `verify`, the models, and the sources of the example plugin and of the template. In a wheel DIR is the Python package
# itself: the program is assay/bin/assay, and the extension module lies where the package imports it.
include(GNUInstallDirs)
install(TARGETS assay assay-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
add_custom_target(assay_modules)
foreach(module assay_onednn assay_arrow)
  if(TARGET ${module})
    add_dependencies(assay_modules ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib COMPONENT ${module})
  endif()
endforeach()
install(FILES src/assay/engine/assay_custom_call.h src/assay/engine/assay_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay/engine)
install(DIRECTORY inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)
# The measurements that the models were trained on are in the source tree.
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/assay PATTERN data EXCLUDE)
install(DIRECTORY examples/plugin examples/plugin_template DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/examples PATTERN CMakeLists.txt EXCLUDE)
# Completion for bash, zsh and fish, made of the program's own help.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/utils/generate/completions.py $<TARGET_FILE:assay> ${CMAKE_BINARY_DIR}/completions COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${CMAKE_BINARY_DIR}/completions/ DESTINATION ${CMAKE_INSTALL_DATADIR})
install(TARGETS pjrt_assay LIBRARY DESTINATION lib)
if(DEFINED SKBUILD)
  install(TARGETS _assay LIBRARY DESTINATION .)
  if(TARGET assay_arrow) # from the wheel `pyarrow` beside this one
    set_target_properties(assay_arrow PROPERTIES INSTALL_RPATH "$ORIGIN/../../pyarrow" INSTALL_RPATH_USE_LINK_PATH OFF)
  endif()
elseif(TARGET _assay) # what the engine python:FILE.py:FUNCTION runs in its worker
  install(TARGETS _assay LIBRARY DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/python/assay)
  install(DIRECTORY python/assay DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/python PATTERN __pycache__ EXCLUDE)
endif()

# The library for other programs, and what `find_package(assay)` reads.
if(NOT DEFINED SKBUILD)
  include(CMakePackageConfigHelpers)
  install(TARGETS assay_embed EXPORT assay LIBRARY DESTINATION lib INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES src/assay/embed/assay.h src/assay/embed/assay.hpp src/assay/embed/assay_dispatch.h src/assay/embed/assay_dispatch.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay)
  install(EXPORT assay NAMESPACE assay:: FILE assayConfig.cmake DESTINATION lib/cmake/assay)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/assayConfigVersion.cmake DESTINATION lib/cmake/assay)
  install(DIRECTORY examples/embed_cpp examples/dispatch_cpp DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/examples)
endif()

# `cpack -G DEB` in the build folder; without the Arrow adapter, whose libraries come with a Python package.
set(CPACK_INSTALL_CMAKE_PROJECTS ${CMAKE_BINARY_DIR} Assay Unspecified / ${CMAKE_BINARY_DIR} Assay assay_onednn /)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_CONTACT "Assay <assay@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Is an operator right, and where does it first go wrong? StableHLO interpreter, kernel verification, dumps")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy, liblapacke")
include(CPack)
