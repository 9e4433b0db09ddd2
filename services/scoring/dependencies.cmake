# The engine's hash tables, its ordered band and its reader-writer lock.
find_package(absl REQUIRED)
target_link_libraries(${projections} PUBLIC absl::flat_hash_map absl::btree absl::synchronization)
target_link_libraries(${api} PUBLIC tideline_people)
file(GLOB fence CONFIGURE_DEPENDS "${folder}/fence/*.cpp")
target_sources(${api} PRIVATE ${fence})
