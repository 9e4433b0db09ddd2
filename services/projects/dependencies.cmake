target_link_libraries(${projections} PUBLIC tideline_search)
target_link_libraries(${api} PUBLIC tideline_uploads)
