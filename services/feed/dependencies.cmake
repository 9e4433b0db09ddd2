# The engine's hash tables and its reader-writer lock.
find_package(absl REQUIRED)
target_link_libraries(${projections} PUBLIC
  absl::flat_hash_map absl::flat_hash_set absl::synchronization)
