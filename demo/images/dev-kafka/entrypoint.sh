#!/usr/bin/env bash
# Formats the storage once and starts a Kafka broker.
#
#   /etc/kafka/server.properties   mounted; ${NAME} is replaced by the variable NAME of the environment
#   /etc/kafka/users/              mounted, may be absent: one file for each SCRAM user, named as the user, holding its password
#   /var/lib/kafka                 data; emptied by nobody
#
# POD_NAME (or the host name) ends in the ordinal that becomes NODE_ID, unless NODE_ID is given. KAFKA_CLUSTER_ID is needed.
# With arguments it runs a Kafka tool instead: `entrypoint.sh org.apache.kafka.tools.ClientMetricsCommand --describe ...`.
set -euo pipefail
home=/opt/kafka
data=/var/lib/kafka
template=${KAFKA_PROPERTIES:-/etc/kafka/server.properties}
users=${KAFKA_USERS:-/etc/kafka/users}

# java_kafka CLASS ARGUMENTS...: the virtual machine with Kafka's class path and the quiet log of a tool
java_kafka() {
  java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-Dlog4j.configuration=file:$home/tools-log4j.properties" \
    "-Dlog4j2.configurationFile=$home/tools-log4j2.properties" -cp "$home/libs/*" "$@"
}

if [ $# -gt 0 ]; then java_kafka "$@"; exit; fi

: "${KAFKA_CLUSTER_ID:?is needed: 22 characters of base64url, the same for every broker}"
name=${POD_NAME:-$(hostname)}
export POD_NAME=$name
export NODE_ID=${NODE_ID:-${name##*-}}
if ! [[ $NODE_ID =~ ^[0-9]+$ ]]; then
  echo "the node id is the number at the end of POD_NAME, and '$name' ends in none: set POD_NAME or NODE_ID" >&2
  exit 2
fi

# On a mounted root without an own place to write, /tmp is the place.
properties=/tmp/server.properties
while IFS= read -r line || [ -n "$line" ]; do
  while [[ $line =~ \$\{([A-Za-z_][A-Za-z0-9_]*)\} ]]; do
    variable=${BASH_REMATCH[1]}
    if [ -z "${!variable+set}" ]; then
      echo "$template names \${$variable}, and the environment has no such variable" >&2
      exit 2
    fi
    line=${line//"\${$variable}"/"${!variable}"}
  done
  printf '%s\n' "$line"
done < "$template" > "$properties"
chmod 0600 "$properties"

# A restart finds its storage as it left it, and saves the seconds of a second virtual machine.
directory=$(sed -n 's/^log\.dirs=\([^,]*\).*/\1/p' "$properties")
if [ ! -f "$directory/meta.properties" ]; then
  scram=()
  if [ -d "$users" ]; then
    for file in "$users"/*; do
      if [ ! -f "$file" ]; then continue; fi
      for mechanism in SCRAM-SHA-256 SCRAM-SHA-512; do
        scram+=(--add-scram "$mechanism=[name=$(basename "$file"),password=$(cat "$file")]")
      done
    done
  fi
  java_kafka kafka.tools.StorageTool format --ignore-formatted --cluster-id "$KAFKA_CLUSTER_ID" --config "$properties" "${scram[@]}"
fi

# A broker for development starts often and has little to do: the second compiler would not pay back.
# shellcheck disable=SC2086 # options are words
exec java "-Xms$KAFKA_HEAP" "-Xmx$KAFKA_HEAP" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError ${KAFKA_OPTIONS:-} \
  "-Dlog4j.configuration=file:$home/log4j.properties" "-Dlog4j2.configurationFile=$home/log4j2.properties" \
  -cp "$home/plugin/*:$home/libs/*" kafka.Kafka "$properties"
