# shellcheck shell=bash
# shellcheck disable=SC2034  # what is set here is read by the scripts that source this file
# Sourced by run, stop, status and logs: where things lie, and on which ports. Each has one variable.

services=(accounts projects social-graph feed scoring)

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
    accounts_port=$((base + 101)) projects_port=$((base + 102)) social_graph_port=$((base + 103))
    feed_port=$((base + 104)) scoring_port=$((base + 105))
  fi
  gateway_port=${TIDELINE_GATEWAY_PORT:-$gateway_port}
  metrics_port=${TIDELINE_GATEWAY_METRICS_PORT:-$metrics_port}
  kafka_port=${TIDELINE_KAFKA_PORT:-$kafka_port}
  controller_port=${TIDELINE_KAFKA_CONTROLLER_PORT:-$controller_port}
  postgres_port=${TIDELINE_POSTGRES_PORT:-$postgres_port}
  accounts_port=${TIDELINE_ACCOUNTS_PORT:-$accounts_port}
  projects_port=${TIDELINE_PROJECTS_PORT:-$projects_port}
  social_graph_port=${TIDELINE_SOCIAL_GRAPH_PORT:-$social_graph_port}
  feed_port=${TIDELINE_FEED_PORT:-$feed_port}
  scoring_port=${TIDELINE_SCORING_PORT:-$scoring_port}
}

record_ports() {
  local name
  for name in gateway metrics kafka controller postgres accounts projects social_graph feed scoring; do
    printf '%s_port=%s\n' "$name" "$(port_of "$name")"
  done > "$home/ports"
  # Whether the stores are our own, for those who look later.
  printf 'external_postgres=%s\nexternal_kafka=%s\n' "${TIDELINE_PG:+yes}" "${TIDELINE_KAFKA:-}" >> "$home/ports"
}

# port_of PART : social-graph and social_graph are one.
port_of() {
  local name=${1//-/_}_port
  printf '%s' "${!name}"
}
