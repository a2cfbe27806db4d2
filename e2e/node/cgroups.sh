#!/usr/bin/env bash
# Makes or removes this node's control groups in every hierarchy of the host. Usage: cgroups.sh make|remove NODE_NAME
set -euo pipefail
action=$1 node=$2

hierarchies() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    echo /sys/fs/cgroup
  else
    for hierarchy in /sys/fs/cgroup/*/; do
      if [ -f "$hierarchy/cgroup.procs" ] && [ ! -L "${hierarchy%/}" ]; then echo "${hierarchy%/}"; fi
    done
  fi
}

# Version 1: a child of the cpuset hierarchy begins without processors or memory and takes no process until it has some.
# Version 2: a child has the controllers that its parent passes on.
inherit() {
  local name
  for name in cpuset.cpus cpuset.mems; do
    if [ -f "$1/$name" ] && [ -z "$(cat "$1/$name")" ]; then cat "$1/../$name" > "$1/$name" || true; fi
  done
  if [ -f "$1/cgroup.subtree_control" ]; then
    for name in $(cat "$1/cgroup.controllers"); do echo "+$name" > "$1/cgroup.subtree_control" 2> /dev/null || true; done
  fi
}

# A group weighs as much as one process, however many it holds; all pods of a node would share that one's processor time
# while other tests compute. Version 1: the Kubernetes commands would share that of all containers of the engine.
weigh() {
  if [ -f "$1/cpu.weight" ]; then echo 800 > "$1/cpu.weight"; fi
  if [ -f "$1/cpu.shares" ]; then echo 8192 > "$1/cpu.shares"; fi
}
join() {
  if [ -f "$1/cpu.shares" ]; then
    mkdir -p "$1/commands"
    weigh "$1/commands"
    echo "$2" > "$1/commands/cgroup.procs"
  fi
}

case $action in
  make)
    for hierarchy in $(hierarchies); do
      mkdir -p "$hierarchy/kwitness/$node"
      if [ -f "$hierarchy/cgroup.controllers" ]; then inherit "$hierarchy"; fi
      inherit "$hierarchy/kwitness"
      inherit "$hierarchy/kwitness/$node"
      weigh "$hierarchy/kwitness"
      weigh "$hierarchy/kwitness/$node"
      join "$hierarchy/kwitness/$node" "$PPID"
    done
    ;;
  remove)
    left=0
    for hierarchy in $(hierarchies); do
      if [ ! -d "$hierarchy/kwitness/$node" ]; then continue; fi
      # A killed process leaves its group a moment later.
      for _ in $(seq 25); do
        find "$hierarchy/kwitness/$node" -depth -type d -exec rmdir {} + 2> /dev/null || true
        if [ ! -d "$hierarchy/kwitness/$node" ]; then break; fi
        sleep 0.2
      done
      if [ -d "$hierarchy/kwitness/$node" ]; then echo "$hierarchy/kwitness/$node is still in use" >&2; left=1; fi
      rmdir "$hierarchy/kwitness" 2> /dev/null || true # other nodes may still be there
    done
    exit $left
    ;;
  *)
    echo "cgroups.sh: unknown action $action, expected make or remove" >&2
    exit 2
    ;;
esac
