target_link_libraries(${projections} PUBLIC tideline_search)
target_link_libraries(${api} PUBLIC tideline_mail tideline_uploads tideline_people)
