# The commands of `assay tune`: one file each, rows in TuneCommands.def.
set(ASSAY_TUNE_SOURCES
  Tune.cpp
  TuneAuto.cpp
  TuneCheck.cpp
  TuneChoices.cpp
  TuneCollect.cpp
  TuneCompare.cpp
  TuneConvert.cpp
  TuneEvaluate.cpp
  TuneFeatures.cpp
  TunePredict.cpp
  TuneScore.cpp
  TuneSearch.cpp
  TuneTrain.cpp
  TuneValidate.cpp)
