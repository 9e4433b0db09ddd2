# shellcheck shell=bash
# shellcheck disable=SC2034  # what is set here is read by the scripts that source this file
# Sourced: what services/registry.txt says, as arrays.

services=() snapshot_services=()
declare -A service_port_offset=()

read_registry() {
  local name offset snapshots
  while read -r name offset snapshots _; do
    case $name in '' | '#'*) continue ;; esac
    services+=("$name")
    service_port_offset[$name]=$offset
    [ "$snapshots" != snapshots ] || snapshot_services+=("$name")
  done < "$(dirname "${BASH_SOURCE[0]}")/../../services/registry.txt"
}
read_registry
