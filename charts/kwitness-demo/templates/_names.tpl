{{/*
Name of an object that the operator makes for a resource, cut as it cuts it (kwitness.runtime.child_names): `name` as it would be, `limit`
its characters at most.
*/}}
{{- define "kwitness.cutName" -}}
{{- if le (len .name) (int .limit) -}}
{{ .name }}
{{- else -}}
{{ printf "%s-%s" (regexReplaceAll "[-.]+$" (substr 0 (sub .limit 9 | int) .name) "") (sha256sum .name | trunc 8) }}
{{- end -}}
{{- end }}

{{/* Name of what the operator makes for a TelemetryCollector, cut as it cuts it (kwitness.runtime.child_names). */}}
{{- define "kwitness.collectorName" -}}
{{ include "kwitness.cutName" (dict "name" (printf "kwitness-collector-%s" .) "limit" 52) }}
{{- end }}

{{- define "kwitness.collectorReplicasName" -}}
{{ include "kwitness.cutName" (dict "name" (printf "%s-replicas" (include "kwitness.collectorName" .)) "limit" 63) }}
{{- end }}
