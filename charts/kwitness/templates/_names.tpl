{{/*
Names, labels and images. Objects in a namespace have fixed names, so that resources, documentation and commands can
name them; objects of the whole cluster carry the release's namespace, so that two installations can live side by side.
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

{{/* What selects the pods of a component; never changes, a selector is immutable. */}}
{{- define "kwitness.selector" -}}
app.kubernetes.io/name: kwitness
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Labels of a pod: those of the values, and ours, which selectors rely on and which win. */}}
{{- define "kwitness.podLabels" -}}
{{- mergeOverwrite (deepCopy (.extra | default dict)) (include "kwitness.labels" . | fromYaml) | toYaml -}}
{{- end }}

{{/* Labels of an object that others select: ours, and those of the values, which win. */}}
{{- define "kwitness.labelsAnd" -}}
{{- mergeOverwrite (include "kwitness.labels" . | fromYaml) (.extra | default dict) | toYaml -}}
{{- end }}

{{/* Name of an object of the whole cluster; such a name may be long, and cut it might be another installation's. */}}
{{- define "kwitness.clusterName" -}}
{{ printf "kwitness-%s-%s" .root.Release.Namespace .what }}
{{- end }}

{{/* Full reference of an image. */}}
{{- define "kwitness.image" -}}
{{- $image := index .root.Values.images .name -}}
{{- with .root.Values.global.imageRegistry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}
