# The two shapes that every part of Tideline has: a library and a service.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json REQUIRED)
# Debian's own: what the build and the tests import is installed for that one.
set(Python3_EXECUTABLE /usr/bin/python3)
include("${CMAKE_CURRENT_LIST_DIR}/EmbedSql.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Events.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Registry.cmake")
enable_testing()

add_library(tideline_warnings INTERFACE)
target_compile_options(tideline_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees uninitialized members in every std::variant that it destroys, and copies out of bounds
  # wherever it inlines the concatenation of a std::string with a literal.
  target_compile_options(tideline_warnings INTERFACE
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict -Wno-stringop-overread -Wno-stringop-overflow)
endif()

find_program(MOLD_LINKER mold)
if(MOLD_LINKER)
  add_link_options(-fuse-ld=mold)
endif()

# ccache takes objects that use a precompiled header only with these settings, whoever starts the build.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
  list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
    env "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)
endif()

if(TIDELINE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
endif()

# _tideline_headers(<target> <headers>): headers precompiled once, for all targets that reuse them.
function(_tideline_headers target)
  set(source "${CMAKE_BINARY_DIR}/${target}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Holds nothing: its target is there for its precompiled headers.\n")
  add_library(${target} OBJECT "${source}")
  target_link_libraries(${target} PRIVATE tideline_warnings ${ARGN} Threads::Threads)
  target_precompile_headers(${target} PRIVATE
    <nlohmann/json.hpp> <algorithm> <chrono> <functional> <map> <memory> <mutex> <optional> <set> <span> <string>
    <unordered_map> <variant> <vector>)
endfunction()

_tideline_headers(tideline_headers)
if(TIDELINE_TESTS)
  _tideline_headers(tideline_test_headers GTest::gmock GTest::gtest)
  target_precompile_headers(tideline_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>)
  # As programs are compiled, not libraries: GCC refuses headers that were precompiled otherwise.
  set_target_properties(tideline_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(tideline_test_headers PRIVATE -fPIE)
endif()

# Compiles the sources of a part in batches: headers and templates cost once a batch. Of an edit, a small
# batch is compiled again. Tests are no part of this: each of their files has helpers of the same names.
function(_tideline_batches target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # GCC takes a batch's sources for headers, whose types must not use what is local to a source.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# A GoogleTest binary whose cases ctest lists one by one under LABEL.
function(tideline_add_tests target label)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE
    tideline_warnings ${ARG_LINK} GTest::gmock GTest::gtest GTest::gtest_main ${RAPIDCHECK_LIBRARY} Threads::Threads)
  target_compile_definitions(${target} PRIVATE
    TIDELINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TIDELINE_EVENT_SCHEMAS="${TIDELINE_EVENT_SCHEMAS}")
  add_dependencies(${target} tideline_event_schemas)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_precompile_headers(${target} REUSE_FROM tideline_test_headers)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(label STREQUAL "unit")
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT})
  else()
    # One process for the whole binary: its cases share one PostgreSQL and one Kafka.
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()

# Tests of a part lie beside it: tests/*.cpp need nothing but the build, tests/integration/*.cpp
# start real servers of their own, with the library of tests/support where there is one.
function(_tideline_part_tests name folder)
  if(NOT TIDELINE_TESTS)
    return()
  endif()
  file(GLOB unit CONFIGURE_DEPENDS "${folder}/tests/*.cpp")
  if(unit)
    tideline_add_tests(${name}_tests unit SOURCES ${unit} LINK ${ARGN})
  endif()
  file(GLOB integration CONFIGURE_DEPENDS "${folder}/tests/integration/*.cpp")
  if(integration)
    # Dozens of processes are killed, databases recover, Kafka waits for the sessions of dead members:
    # minutes on an idle machine, and others may have it.
    tideline_add_tests(${name}_integration_tests integration TIMEOUT 900 SOURCES ${integration}
      LINK ${ARGN} $<TARGET_NAME_IF_EXISTS:tideline_test_support>)
  endif()
endfunction()

# tideline_add_library(<name> DEPENDS <tideline libraries> LINK <other targets>)
# Folder libs/<name> becomes the static library tideline_<name>.
function(tideline_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp")
  file(GLOB tests "${CMAKE_CURRENT_SOURCE_DIR}/tests/*.cpp")
  list(REMOVE_ITEM sources ${tests})
  list(TRANSFORM ARG_DEPENDS PREPEND tideline_)
  set(target tideline_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/libs")
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} Threads::Threads PRIVATE tideline_warnings ${ARG_LINK})
    _tideline_batches(${target})
    if("nlohmann_json::nlohmann_json" IN_LIST ARG_LINK)
      target_precompile_headers(${target} REUSE_FROM tideline_headers)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/libs")
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS} ${ARG_LINK} Threads::Threads)
  endif()
  _tideline_part_tests(${name} "${CMAKE_CURRENT_SOURCE_DIR}" ${target} ${ARG_LINK})
endfunction()

# add_service(<name>): folder services/<name> becomes three libraries, one a layer, so that a layer
# cannot link what it may not use, the library of its migrations ("<name>/migrations.hpp"), and the
# binary tideline-<name>.
function(add_service name)
  set(folder "${PROJECT_SOURCE_DIR}/services/${name}")
  string(REPLACE "-" "_" id ${name})
  set(domain tideline_${id}_domain)
  set(projections tideline_${id}_projections)
  set(api tideline_${id}_api)
  foreach(layer IN ITEMS domain projections api)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/${layer}/*.cpp" "${folder}/${layer}/*/*.cpp")
    add_library(${${layer}} STATIC ${sources})
    target_include_directories(${${layer}} PUBLIC "${PROJECT_SOURCE_DIR}/services")
    target_link_libraries(${${layer}} PRIVATE tideline_warnings)
    _tideline_batches(${${layer}})
  endforeach()
  tideline_generate_events(${name} ${id})
  target_link_libraries(${domain} PUBLIC tideline_core tideline_eventsourcing tideline_${id}_events)
  target_link_libraries(${projections} PUBLIC ${domain} tideline_people tideline_blocks tideline_snapshots nlohmann_json::nlohmann_json)
  target_link_libraries(${api} PUBLIC ${domain} ${projections} tideline_http tideline_crypto)
  if(EXISTS "${folder}/settings.cpp")
    target_sources(${api} PRIVATE "${folder}/settings.cpp")
  endif()
  foreach(layer IN ITEMS projections api)
    target_precompile_headers(${${layer}} REUSE_FROM tideline_headers)
  endforeach()
  # What one service needs beyond that: more libraries for its layers.
  include("${folder}/dependencies.cmake" OPTIONAL)
  tideline_embed_migrations(tideline_${id}_migrations ${name} ${id} "${folder}/migrations")
  file(GLOB subcommands CONFIGURE_DEPENDS "${folder}/cli/*.cpp")
  add_executable(tideline-${name} "${folder}/main.cpp" ${subcommands})
  target_compile_definitions(tideline-${name} PRIVATE TIDELINE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(tideline-${name} PRIVATE
    tideline_warnings tideline_allocator ${api} tideline_${id}_migrations tideline_runtime)
  add_dependencies(tideline_suite tideline-${name})
  tideline_test_allocator(tideline-${name})
  _tideline_part_tests(${id} "${folder}" ${api} tideline_${id}_migrations tideline_runtime tideline_openapi)
endfunction()
