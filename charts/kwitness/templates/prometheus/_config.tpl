{{/*
Configuration of the small Prometheus: our pods in the release's and the watched namespaces.
*/}}

{{- define "kwitness.prometheusNamespaces" -}}
{{- $names := concat (list .Release.Namespace) (include "kwitness.watchNamespaces" . | fromJsonArray) (include "kwitness.collectorNamespaces" . | fromJsonArray) -}}
{{ $names | uniq | sortAlpha | toJson }}
{{- end }}

{{- define "kwitness.prometheusConfig" -}}
global:
  scrape_interval: {{ .Values.prometheus.scrapeInterval }}
  evaluation_interval: {{ .Values.prometheus.scrapeInterval }}
rule_files: [/etc/prometheus/rules.yml]
scrape_configs:
  - job_name: kwitness
    kubernetes_sd_configs:
      - role: pod
        namespaces: {names: {{ include "kwitness.prometheusNamespaces" . }}}
    relabel_configs:
      - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_part_of], regex: kwitness, action: keep}
      - {source_labels: [__meta_kubernetes_pod_container_port_name], regex: metrics, action: keep}
      # A pod that has ended is still listed.
      - {source_labels: [__meta_kubernetes_pod_phase], regex: Pending|Succeeded|Failed, action: drop}
      - {source_labels: [__meta_kubernetes_namespace], target_label: namespace}
      - {source_labels: [__meta_kubernetes_pod_name], target_label: pod}
      - {source_labels: [__meta_kubernetes_pod_label_app_kubernetes_io_component], target_label: job}
  - job_name: prometheus
    static_configs:
      - targets: [localhost:9090]
{{- end }}
