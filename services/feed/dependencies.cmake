# The engine's hash tables.
find_package(absl REQUIRED)
target_link_libraries(${projections} PUBLIC tideline_search absl::flat_hash_map absl::flat_hash_set)
target_link_libraries(${api} PUBLIC tideline_uploads tideline_push)
# What moments are shown from, which replica has whose timeline, and which browsers are sent messages.
file(GLOB rooms CONFIGURE_DEPENDS "${folder}/contents/*.cpp" "${folder}/shards/*.cpp" "${folder}/subscriptions/*.cpp")
target_sources(${api} PRIVATE ${rooms})

# A build with tests can break a rule of visibility, to show that its checks notice; a release cannot.
if(TIDELINE_TESTS)
  target_compile_definitions(${domain} PUBLIC TIDELINE_BREAKABLE)
  add_library(feed_release_settings OBJECT "${folder}/settings.cpp")
  target_include_directories(feed_release_settings PRIVATE
    $<TARGET_PROPERTY:${api},INTERFACE_INCLUDE_DIRECTORIES> $<TARGET_PROPERTY:${domain},INTERFACE_INCLUDE_DIRECTORIES>)
  add_dependencies(feed_release_settings ${domain})
  add_test(NAME feed.no_switches
    COMMAND "${folder}/tests/no_switches_test" $<TARGET_OBJECTS:feed_release_settings> $<TARGET_FILE:tideline-feed>)
  set_tests_properties(feed.no_switches PROPERTIES LABELS unit TIMEOUT 60)
endif()
