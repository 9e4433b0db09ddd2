# Run by tideline_embed_migrations while building: writes HEADER and SOURCE from FOLDER/NNN_name.sql.
file(GLOB steps "${FOLDER}/*.sql")
list(SORT steps)

set(entries "")
set(expected 0)
foreach(step IN LISTS steps)
  get_filename_component(file_name "${step}" NAME)
  if(NOT file_name MATCHES "^([0-9][0-9][0-9])_([a-z0-9_]+)\\.sql$")
    message(FATAL_ERROR "${step}: a migration is named NNN_name.sql")
  endif()
  set(title "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "^0+" "" number "${CMAKE_MATCH_1}")
  math(EXPR expected "${expected} + 1")
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "${step}: migrations count without gaps, ${expected} was due")
  endif()
  file(READ "${step}" sql)
  if(sql MATCHES "\\)tideline_sql\"")
    message(FATAL_ERROR "${step}: holds the mark that ends its text in C++")
  endif()
  string(APPEND entries "      {${number}, \"${title}\", R\"tideline_sql(${sql})tideline_sql\"},\n")
endforeach()

file(WRITE "${HEADER}" "// Generated from ${FOLDER}.
#pragma once

#include <vector>

#include \"postgres/migrations/migrations.hpp\"

namespace tideline::${NAMESPACE} {

std::vector<postgres::Migration> migrations();

}  // namespace tideline::${NAMESPACE}
")
file(WRITE "${SOURCE}" "#include \"${INCLUDED_AS}\"

namespace tideline::${NAMESPACE} {

std::vector<postgres::Migration> migrations() {
  return {
${entries}  };
}

}  // namespace tideline::${NAMESPACE}
")
