{{/*
server.properties of one broker. The image's entrypoint fills in ${POD_NAME} and ${NODE_ID}; Kafka itself reads
${dir:...} from mounted Secrets, so that no password and no key stands in a ConfigMap.
*/}}

{{/* A value as it was written: Helm reads numbers as floating point, prints them as 1e+06 and rounds them beyond 2^53. */}}
{{- define "kwitness.devKafkaProperty" -}}
{{- if kindIs "string" .value -}}
{{ .value }}
{{- else if and (kindIs "float64" .value) (or (gt .value 9007199254740991.0) (lt .value -9007199254740991.0)) -}}
{{ fail (printf "devKafka.extraProperties.%s is a number too large for Helm to keep its last digits: put it in quotes" .key) }}
{{- else -}}
{{ toJson .value }}
{{- end -}}
{{- end }}

{{- define "kwitness.devKafkaProperties" -}}
{{- $kafka := .root.Values.devKafka -}}
{{- $host := printf "${POD_NAME}.kwitness-dev-kafka.%s.svc" .root.Release.Namespace -}}
{{- $listeners := include "kwitness.devKafkaListeners" .root | fromYamlArray -}}
{{- $open := list -}}
{{- $advertised := list (printf "INTERNAL://%s:9090" $host) -}}
{{- $protocols := list "CONTROLLER:PLAINTEXT" "INTERNAL:PLAINTEXT" -}}
{{- range $listeners -}}
{{- $open = append $open (printf "%s://:%v" .name .port) -}}
{{- $advertised = append $advertised (printf "%s://%s:%v" .name $host .port) -}}
{{- $protocols = append $protocols (printf "%s:%s" .name .protocol) -}}
{{- end -}}
{{- $open = append $open "INTERNAL://:9090" -}}
{{- if .controller }}{{ $open = append $open "CONTROLLER://:9099" }}{{ end -}}
{{- $modern := semverCompare ">=4.2.0" $kafka.version -}}
process.roles={{ if .controller }}broker,controller{{ else }}broker{{ end }}
node.id=${NODE_ID}
# One controller: of two, either alone would have no majority.
controller.quorum.voters=0@kwitness-dev-kafka-0.kwitness-dev-kafka.{{ .root.Release.Namespace }}.svc:9099
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
listeners={{ join "," $open }}
advertised.listeners={{ join "," $advertised }}
listener.security.protocol.map={{ join "," $protocols }}
log.dirs=/var/lib/kafka/data
num.partitions=2
num.network.threads=2
num.io.threads=4
default.replication.factor={{ $kafka.replicas }}
offsets.topic.replication.factor={{ $kafka.replicas }}
offsets.topic.num.partitions=4
transaction.state.log.replication.factor={{ $kafka.replicas }}
transaction.state.log.num.partitions=4
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor={{ $kafka.replicas }}
share.coordinator.state.topic.min.isr=1
min.insync.replicas=1
group.initial.rebalance.delay.ms=0
controlled.shutdown.enable=true
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
# Whoever comes without a name may do everything: this Kafka is for trying out.
super.users=User:ANONYMOUS;User:admin
metric.reporters=org.apache.kafka.common.metrics.JmxReporter,dev.kwitness.broker.{{ if $modern }}KwitnessReporter{{ else }}KwitnessLegacyReporter{{ end }}
kwitness.collector.url=https://{{ include "kwitness.collectorName" $kafka.collector }}.{{ .root.Release.Namespace }}.svc:8443
kwitness.collector.ca.file=/etc/kwitness/collector-ca/ca.crt
kwitness.collector.token.file=/var/run/secrets/kwitness/collector/token
{{- if $kafka.secureListeners }}
config.providers=dir
config.providers.dir.class=org.apache.kafka.common.config.provider.DirectoryConfigProvider
ssl.principal.mapping.rules=RULE:^CN=([^,]+).*$/$1/,DEFAULT
{{- range $listeners }}
{{- $prefix := printf "listener.name.%s" (lower .name) }}
{{- if .clientAuth }}
{{ $prefix }}.ssl.keystore.type=PEM
{{ $prefix }}.ssl.keystore.key=${dir:/etc/kafka/tls:tls.key}
{{ $prefix }}.ssl.keystore.certificate.chain=${dir:/etc/kafka/tls:tls.crt}
{{ $prefix }}.ssl.truststore.type=PEM
{{ $prefix }}.ssl.truststore.certificates=${dir:/etc/kafka/tls:ca.crt}
{{ $prefix }}.ssl.client.auth={{ .clientAuth }}
{{- end }}
{{- if eq (.mechanisms | default "") "PLAIN" }}
{{ $prefix }}.sasl.enabled.mechanisms=PLAIN
{{ $prefix }}.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required{{ range $kafka.users }} user_{{ . }}="${dir:/etc/kafka/users:{{ . }}}"{{ end }};
{{- else if .mechanisms }}
{{ $prefix }}.sasl.enabled.mechanisms={{ .mechanisms }}
{{ $prefix }}.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
{{ $prefix }}.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
{{- end }}
{{- end }}
{{- end }}
{{- range $key, $value := $kafka.extraProperties }}
{{ $key }}={{ include "kwitness.devKafkaProperty" (dict "key" $key "value" $value) }}
{{- end }}
{{- end }}
