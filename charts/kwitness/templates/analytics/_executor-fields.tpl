{{/*
What the admission policy lets executors have by the values of their pods, as a CEL expression.
*/}}

{{- define "kwitness.executorFields" -}}
{{- $spec := pick . "affinity" "dnsConfig" -}}
{{- $instance := "the executor's instance" -}}
{{- with .topologySpreadConstraints -}}
{{- $selector := dict "matchLabels" (dict "app.kubernetes.io/name" "kwitness-executor" "app.kubernetes.io/instance" $instance) -}}
{{- $entries := list }}{{ range . }}{{ $entries = append $entries (set (deepCopy .) "labelSelector" (.labelSelector | default $selector)) }}{{ end -}}
{{- $_ := set $spec "topologySpreadConstraints" $entries -}}
{{- end -}}
{{- dict "labels" (.labels | default dict) "spec" $spec "context" (.securityContext | default dict) "env" (.env | default list)
  "tolerations" (.tolerations | default list) | include "kwitness.cel" | replace (toJson $instance) "variables.labels[?'app.kubernetes.io/instance'].orValue('')" -}}
{{- end }}

{{/* A value as a CEL literal. Kubernetes refuses literals whose parts have several types, hence dyn. */}}
{{- define "kwitness.cel" -}}
{{- if kindIs "map" . -}}
{{- $parts := list }}{{ range $key, $value := . }}{{ $parts = append $parts (printf "%s: dyn(%s)" (toJson $key) (include "kwitness.cel" $value)) }}{{ end -}}
{ {{- join ", " $parts -}} }
{{- else if kindIs "slice" . -}}
{{- $parts := list }}{{ range . }}{{ $parts = append $parts (printf "dyn(%s)" (include "kwitness.cel" .)) }}{{ end -}}
[ {{- join ", " $parts -}} ]
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end }}
