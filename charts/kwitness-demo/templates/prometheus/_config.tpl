{{/*
Configuration of the small Prometheus. It finds pods by DNS, which takes no permission at all and works in any build of
Prometheus; the price is that collectors are named in the values.
*/}}

{{- define "kwitness.prometheusCollectors" -}}
{{- if .Values.prometheus.collectors -}}
{{ .Values.prometheus.collectors | toJson }}
{{- else -}}
{{ list (dict "name" .Values.devKafka.collector) | toJson }}
{{- end -}}
{{- end }}

{{- define "kwitness.prometheusConfig" -}}
global:
  scrape_interval: {{ .Values.prometheus.scrapeInterval }}
  evaluation_interval: {{ .Values.prometheus.scrapeInterval }}
rule_files: [/etc/prometheus/*.rules.yml]
scrape_configs:
  - job_name: operator
    # Metrics of a resource have its namespace, which is not the pod's.
    honor_labels: true
    dns_sd_configs:
      - {names: [kwitness-operator.{{ .Release.Namespace }}.svc], type: A, port: 8080, refresh_interval: 10s}
    relabel_configs:
      - {target_label: namespace, replacement: {{ .Release.Namespace | quote }}}
  {{- range include "kwitness.prometheusCollectors" . | fromJsonArray }}
  {{- $namespace := .namespace | default $.Release.Namespace }}
  - job_name: collector/{{ $namespace }}/{{ .name }}
    honor_labels: true
    dns_sd_configs:
      # The headless Service of the TelemetryCollector: one address for each replica.
      - {names: [{{ include "kwitness.collectorReplicasName" .name }}.{{ $namespace }}.svc], type: A, port: 8080, refresh_interval: 10s}
    relabel_configs:
      - {target_label: job, replacement: collector}
      - {target_label: namespace, replacement: {{ $namespace | quote }}}
  {{- end }}
  - job_name: prometheus
    static_configs:
      - targets: [localhost:9090]
{{- end }}
