target_link_libraries(${api} PUBLIC tideline_mail tideline_uploads tideline_people)
