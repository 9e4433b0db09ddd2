target_link_libraries(${api} PUBLIC tideline_mail)
