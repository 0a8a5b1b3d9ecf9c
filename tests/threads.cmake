# The tests of code that has threads, in a program of their own: what the preset `tsan` builds and runs. It holds neither
# the command line nor the emulator, so it takes a part of the time of a whole build. The other presets run the same
# files in orrery_tests.
file(GLOB thread_tests CONFIGURE_DEPENDS
     api/*_test.cpp                                   # two simulations at once in two threads
     collectives/step_test.cpp                        # the pool of frames, one for each thread
     engine/*_files_test.cpp engine/output_file_test.cpp
     engine/in_threads_test.cpp simulation/at_once_test.cpp
     tools/cosim/*_test.cpp                           # a thread for each client
     tools/mapping/*_test.cpp tools/traffic/*_test.cpp
     trace/buffer_test.cpp engine/cpu/clock_test.cpp trace/recorder_test.cpp # the thread that writes
     workload/mapped_file_test.cpp
     scratch_folder.cpp)
list(APPEND thread_tests "${CMAKE_CURRENT_BINARY_DIR}/places.cpp")
add_executable(orrery_thread_tests ${thread_tests})
target_include_directories(orrery_thread_tests PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/generated")
target_link_libraries(orrery_thread_tests PRIVATE orrery_core orrery_library orrery_recorder orrery_options GTest::gtest_main
                                                  nlohmann_json::nlohmann_json)
orrery_batches(orrery_thread_tests)
target_compile_options(orrery_thread_tests PRIVATE -O0)
set(thread_shares 4)
foreach(share RANGE 1 ${thread_shares})
  math(EXPR index "${share} - 1")
  add_test(NAME threads_${share} COMMAND orrery_thread_tests "--gtest_filter=-Slow*" --gtest_brief=1)
  set_tests_properties(threads_${share} PROPERTIES LABELS threads TIMEOUT 600
                       ENVIRONMENT "GTEST_TOTAL_SHARDS=${thread_shares};GTEST_SHARD_INDEX=${index}")
endforeach()
