# The commands of `assay tune`: one file each, rows in TuneCommands.def.
set(ASSAY_TUNE_SOURCES
  Tune.cpp
  TuneCollect.cpp
  TuneTrain.cpp)
