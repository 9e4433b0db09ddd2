# shellcheck shell=bash
# shellcheck disable=SC2034  # what is set here is read by the scripts that source this file
# Sourced by run, stop, status and logs: where things lie, and on which ports. Each has one variable.

. "$(dirname "${BASH_SOURCE[0]}")/parts/registry.sh"

# /root is closed to other users, and PostgreSQL does not run as root: hence not below $HOME then.
default_home() {
  if [ "$(id -u)" -eq 0 ]; then echo /var/lib/tideline; else echo "$HOME/.local/share/tideline"; fi
}

# use_home DIR : settles home and ports. What the last run recorded counts until the environment says otherwise.
use_home() {
  home=$1
  [[ $home = /* ]] || home=$PWD/$home
  external_postgres='' external_kafka=''
  # shellcheck source=/dev/null
  [ ! -r "$home/ports" ] || . "$home/ports"
  local base=${TIDELINE_PORT_BASE:-18000}
  if [ -n "${TIDELINE_PORT_BASE:-}" ] || [ -z "${gateway_port:-}" ]; then
    gateway_port=$((base + 80)) metrics_port=$((base + 81))
    kafka_port=$((base + 92)) controller_port=$((base + 93)) postgres_port=$((base + 432))
  fi
  gateway_port=${TIDELINE_GATEWAY_PORT:-$gateway_port}
  metrics_port=${TIDELINE_GATEWAY_METRICS_PORT:-$metrics_port}
  kafka_port=${TIDELINE_KAFKA_PORT:-$kafka_port}
  controller_port=${TIDELINE_KAFKA_CONTROLLER_PORT:-$controller_port}
  postgres_port=${TIDELINE_POSTGRES_PORT:-$postgres_port}
  local service
  for service in "${services[@]}"; do use_port_of_service "$service" "$base"; done
}

# use_port_of_service NAME BASE : sets NAME_port. A service that the last run did not have gets one, too.
use_port_of_service() {
  local id=${1//-/_} setting
  local name=${id}_port
  setting=TIDELINE_${id^^}_PORT
  if [ -n "${TIDELINE_PORT_BASE:-}" ] || [ -z "${!name:-}" ]; then
    printf -v "$name" %s $(($2 + ${service_port_offset[$1]}))
  fi
  [ -z "${!setting:-}" ] || printf -v "$name" %s "${!setting}"
}

record_ports() {
  local name
  for name in gateway metrics kafka controller postgres "${services[@]}"; do
    printf '%s_port=%s\n' "${name//-/_}" "$(port_of "$name")"
  done > "$home/ports"
  # Whether the stores are our own, for those who look later.
  printf 'external_postgres=%s\nexternal_kafka=%s\n' "${TIDELINE_PG:+yes}" "${TIDELINE_KAFKA:-}" >> "$home/ports"
}

# port_of PART : social-graph and social_graph are one.
port_of() {
  local name=${1//-/_}_port
  printf '%s' "${!name}"
}
