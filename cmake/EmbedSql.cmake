# tideline_embed_migrations(<target> <name> <namespace> <folder>)
# Makes the static library <target> of the files <folder>/NNN_name.sql, in the order of their numbers:
# header "<name>/migrations.hpp" declares tideline::<namespace>::migrations(). A changed file is
# compiled in by the next build, a new one too.
function(tideline_embed_migrations target name namespace folder)
  file(GLOB steps CONFIGURE_DEPENDS "${folder}/*.sql")
  list(SORT steps)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(header "${generated}/${name}/migrations.hpp")
  set(source "${generated}/${name}/migrations.cpp")
  add_custom_command(
    OUTPUT "${header}" "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DNAMESPACE=${namespace}" "-DFOLDER=${folder}" "-DHEADER=${header}"
            "-DSOURCE=${source}" "-DINCLUDED_AS=${name}/migrations.hpp"
            -P "${PROJECT_SOURCE_DIR}/cmake/WriteMigrations.cmake"
    DEPENDS ${steps} "${PROJECT_SOURCE_DIR}/cmake/WriteMigrations.cmake"
    VERBATIM)
  add_library(${target} STATIC "${source}" "${header}")
  target_include_directories(${target} PUBLIC "${generated}")
  target_link_libraries(${target} PUBLIC tideline_postgres PRIVATE tideline_warnings)
endfunction()
