# shellcheck shell=bash
# Sourced by the scripts of deploy/: messages, the service user, and processes in the background that
# are known again by pid and start time, so that a pid which the system gave away is never signalled.

say() { printf '%s\n' "$*"; }

fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

need_value() { [ -n "$2" ] || fail "option $1 is missing (see $0 --help)"; }

# Prints the comment block at the head of the calling script.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" | sed '/^set -/d'; }

# --- the user under whom everything runs -----------------------------------------------------------
# PostgreSQL refuses to run as root. A root shell therefore runs all parts as user "tideline".

ensure_service_user() {
  [ "$(id -u)" -eq 0 ] || return 0
  getent passwd tideline > /dev/null && return 0
  useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin tideline 2> /dev/null ||
    getent passwd tideline > /dev/null || fail "cannot create the user tideline"
}

as_service_user() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=tideline --regid=tideline --init-groups -- "$@"
  else
    "$@"
  fi
}

# Makes folder $1 for the service user. Its parents must let that user through.
ensure_folder() {
  mkdir -p "$1"
  chmod 700 "$1"
  [ "$(id -u)" -ne 0 ] || chown tideline:tideline "$1"
  as_service_user test -w "$1" ||
    fail "user tideline cannot reach $1: a folder above it is closed to others (chmod o+x it, or choose another)"
}

# --- processes -------------------------------------------------------------------------------------

# Clock ticks between boot and the start of process $1; nothing when it is gone or a zombie. The first
# thread of a killed program is a zombie already while others still hold its ports: those count as alive.
process_start_time() {
  local stat
  stat=$(cat "/proc/$1/stat" 2> /dev/null) || return 0
  read -ra stat <<< "${stat##*) }"
  [ "${stat[0]}" = Z ] && [ "${stat[17]}" -le 1 ] || printf '%s' "${stat[19]}"
}

# Pid recorded in file $1, when that very process still runs; otherwise fails.
process_pid() {
  local pid started
  [ -r "$1" ] && read -r pid started < "$1" && [ -n "${started:-}" ] || return 1
  [ "$(process_start_time "$pid")" = "$started" ] && printf '%s' "$pid"
}

process_runs() { process_pid "$1" > /dev/null; }

# process_start PID_FILE LOG_FILE COMMAND... : runs COMMAND detached as the service user.
process_start() {
  local pid_file=$1 log_file=$2 pid fd
  shift 2
  (
    # A pipe or lock inherited from the caller must not stay open as long as a server lives.
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      [ "$fd" -le 2 ] || eval "exec $fd>&-" 2> /dev/null || true
    done
    cd /
    # Thousands of connections need as many descriptors.
    ulimit -n 65536 2> /dev/null || ulimit -n "$(ulimit -Hn)"
    if [ "$(id -u)" -eq 0 ]; then
      exec setsid setpriv --reuid=tideline --regid=tideline --init-groups -- "$@"
    fi
    exec setsid "$@"
  ) < /dev/null >> "$log_file" 2>&1 &
  pid=$!
  disown
  printf '%s %s\n' "$pid" "$(process_start_time "$pid")" > "$pid_file"
}

# process_stop PID_FILE SIGNAL SECONDS : asks it to end, and after SECONDS ends it.
process_stop() {
  local pid deadline=$((SECONDS + $3))
  if pid=$(process_pid "$1"); then
    kill "-$2" "$pid" 2> /dev/null || true
    while process_runs "$1" && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.05; done
    if process_runs "$1"; then
      kill -KILL "$pid" 2> /dev/null || true
      while process_runs "$1"; do sleep 0.05; done
    fi
  fi
  rm -f "$1"
}

# await_ready PID_FILE SECONDS COMMAND... : until COMMAND succeeds. False when the process has ended or the
# time is over.
await_ready() {
  local pid_file=$1 deadline=$((SECONDS + $2))
  shift 2
  until process_runs "$pid_file" && "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] && process_runs "$pid_file" || return 1
    sleep 0.1
  done
}

# await_start NAME PID_FILE LOG_FILE SECONDS COMMAND... : the same after a start. Otherwise it gives up, shows the
# end of the log, and ends the process.
await_start() {
  local name=$1 pid_file=$2 log_file=$3
  await_ready "$pid_file" "${@:4}" || {
    show_log_end "$log_file"
    process_stop "$pid_file" KILL 5
    fail "$name did not become ready"
  }
}

# True when something on this machine accepts connections at port $1.
port_answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

require_free_port() {
  ! port_answers "$2" || fail "port $2 for $1 is busy: another program listens there"
}

# Last lines of a log, and of what its program printed beside it, for the report of a failed start.
show_log_end() {
  local log
  for log in "$1" "${1%/*}/console"; do
    [ -s "$log" ] || continue
    printf -- '--- end of %s\n' "$log" >&2
    tail -n 15 "$log" >&2 || true
  done
}
