#!/usr/bin/env bash
# `executor`: as Spark's Kubernetes scheduler starts it. Nothing or an option: the driver of a job. Else: the command as it is.
set -euo pipefail
if [ -n "${SSL_CERT_FILE:-}" ]; then
  python3 -m kwitness.jobs.driver.trust_store /tmp/trust-store.jks
  export JDK_JAVA_OPTIONS="${JDK_JAVA_OPTIONS:-} -Djavax.net.ssl.trustStore=/tmp/trust-store.jks"
fi
case ${1:-} in
  executor)
    options=()
    while IFS= read -r variable; do options+=("${!variable}"); done < <(compgen -e | grep -E '^SPARK_JAVA_OPT_[0-9]+$' | sort -t_ -k4 -n)
    exec java "${options[@]}" "-Xms$SPARK_EXECUTOR_MEMORY" "-Xmx$SPARK_EXECUTOR_MEMORY" -cp "${SPARK_CLASSPATH:+$SPARK_CLASSPATH:}${SPARK_CONF_DIR:-/opt/spark/conf}:$SPARK_HOME/jars/*" \
      org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend \
      --driver-url "$SPARK_DRIVER_URL" --executor-id "$SPARK_EXECUTOR_ID" --cores "$SPARK_EXECUTOR_CORES" \
      --app-id "$SPARK_APPLICATION_ID" --hostname "$SPARK_EXECUTOR_POD_IP" \
      --resourceProfileId "$SPARK_RESOURCE_PROFILE_ID" --podName "$SPARK_EXECUTOR_POD_NAME"
    ;;
  "" | -*) exec python3 -m kwitness.jobs "$@" ;;
  *) exec "$@" ;;
esac
