# tideline_generate_events(<name> <namespace>): the static library tideline_<namespace>_events of what the build makes of
# schemas/events and schemas/contracts/<name>: "<name>/events.hpp" and "<name>/stream_keys.hpp" (a service's own events
# and streams, for its domain) and "<name>/stored_events.hpp" (how they are stored, and the readers of what <name>
# consumes). A description that breaks a consumer's contract fails the build and names the consumer.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(tideline_generate_events name namespace)
  set(schemas "${PROJECT_SOURCE_DIR}/schemas")
  file(GLOB inputs CONFIGURE_DEPENDS
    "${schemas}/events/*.yaml" "${schemas}/contracts/*/*.json" "${schemas}/generator/*.py")
  set(generated "${CMAKE_BINARY_DIR}/generated/events")
  set(files "${generated}/${name}/stored_events.hpp" "${generated}/${name}/stored_events.cpp")
  if(EXISTS "${schemas}/events/${name}.yaml")
    list(APPEND files "${generated}/${name}/events.hpp" "${generated}/${name}/stream_keys.hpp"
      "${generated}/${name}/testing/key_builders.hpp")
  endif()
  add_custom_command(
    OUTPUT ${files}
    COMMAND "${Python3_EXECUTABLE}" "${schemas}/generator" cpp ${name} "${generated}"
    COMMAND "${CMAKE_COMMAND}" -E touch ${files}
    DEPENDS ${inputs}
    VERBATIM)
  set(target tideline_${namespace}_events)
  add_library(${target} STATIC ${files})
  target_include_directories(${target} PUBLIC "${generated}" "${PROJECT_SOURCE_DIR}/services")
  target_link_libraries(${target} PUBLIC tideline_core tideline_eventsourcing PRIVATE
    tideline_warnings nlohmann_json::nlohmann_json)
endfunction()

# TIDELINE_EVENT_SCHEMAS/<service>/<Event>.v<version>.json: the JSON Schema of every version of every event, for tests.
set(TIDELINE_EVENT_SCHEMAS "${CMAKE_BINARY_DIR}/generated/schemas")
file(GLOB event_descriptions CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/schemas/events/*.yaml" "${PROJECT_SOURCE_DIR}/schemas/generator/*.py")
add_custom_command(
  OUTPUT "${TIDELINE_EVENT_SCHEMAS}/written"
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/schemas/generator" schemas "${TIDELINE_EVENT_SCHEMAS}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${TIDELINE_EVENT_SCHEMAS}/written"
  DEPENDS ${event_descriptions}
  VERBATIM)
add_custom_target(tideline_event_schemas DEPENDS "${TIDELINE_EVENT_SCHEMAS}/written")
