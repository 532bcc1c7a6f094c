# `cmake --install build/release --prefix DIR`: both programs, the modules that they load (../lib beside them), the header that
# plugins need, the batch files of `verify`, the models, and the example plugin's sources.
include(GNUInstallDirs)
install(TARGETS assay assay-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(module assay_onednn assay_arrow)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib)
  endif()
endforeach()
install(FILES src/assay/engine/assay_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay/engine)
install(DIRECTORY inputs models DESTINATION ${CMAKE_INSTALL_DATADIR}/assay)
install(DIRECTORY examples/plugin DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/examples PATTERN CMakeLists.txt EXCLUDE)
if(TARGET _assay) # what the engine python:FILE.py:FUNCTION runs in its worker
  install(TARGETS _assay LIBRARY DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/python/assay)
  install(DIRECTORY python/assay DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/python PATTERN __pycache__ EXCLUDE)
endif()
