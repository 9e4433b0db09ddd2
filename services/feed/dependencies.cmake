# The engine's hash tables.
find_package(absl REQUIRED)
target_link_libraries(${projections} PUBLIC absl::flat_hash_map absl::flat_hash_set)
target_link_libraries(${api} PUBLIC tideline_uploads)
# What moments are shown from, and which replica has whose timeline.
file(GLOB rooms CONFIGURE_DEPENDS "${folder}/contents/*.cpp" "${folder}/shards/*.cpp")
target_sources(${api} PRIVATE ${rooms})
