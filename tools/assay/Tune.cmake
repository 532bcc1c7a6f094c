# The commands of `assay tune`: one file each, rows in TuneCommands.def.
set(ASSAY_TUNE_SOURCES
  Tune.cpp
  TuneCollect.cpp
  TuneConvert.cpp
  TuneEvaluate.cpp
  TuneFeatures.cpp
  TunePredict.cpp
  TuneScore.cpp
  TuneTrain.cpp)
