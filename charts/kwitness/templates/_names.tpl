{{/*
Names, labels and images. Objects in a namespace have fixed names, so that resources, documentation and commands can
name them; objects of the whole cluster carry the release's namespace, so that two installations can live side by side.
*/}}

{{- define "kwitness.labels" -}}
app.kubernetes.io/name: kwitness
app.kubernetes.io/instance: {{ .root.Release.Name }}
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

{{/* Name of an object of the whole cluster. */}}
{{- define "kwitness.clusterName" -}}
{{ printf "kwitness-%s-%s" .root.Release.Namespace .what | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Full reference of an image. */}}
{{- define "kwitness.image" -}}
{{- $image := index .root.Values.images .name -}}
{{- with .root.Values.global.imageRegistry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}
