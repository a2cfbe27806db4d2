{{/*
Labels of every object, and what selects pods. The same file is in both charts, and a test compares them.
*/}}

{{- define "kwitness.labels" -}}
app.kubernetes.io/name: kwitness
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
app.kubernetes.io/part-of: kwitness
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Labels of a component's pods: with the version of chart or application among them, each upgrade would replace all pods. */}}
{{- define "kwitness.templateLabels" -}}
{{ include "kwitness.selector" . }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/part-of: kwitness
{{- end }}

{{/* What selects the pods of a component; never changes, a selector is immutable. */}}
{{- define "kwitness.selector" -}}
app.kubernetes.io/name: kwitness
app.kubernetes.io/component: {{ .component }}
{{- end }}
