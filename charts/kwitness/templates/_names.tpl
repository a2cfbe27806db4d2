{{/*
Names, and labels that values add to. Objects in a namespace have fixed names, so that resources, documentation and commands can
name them; objects of the whole cluster carry the release's namespace, so that two installations can live side by side.
*/}}

{{/* Labels of a pod: those of the values, and ours, which selectors rely on and which win. */}}
{{- define "kwitness.podLabels" -}}
{{- mergeOverwrite (deepCopy (.extra | default dict)) (include "kwitness.templateLabels" . | fromYaml) | toYaml -}}
{{- end }}

{{/* Labels of an object that others select: ours, and those of the values, which win. */}}
{{- define "kwitness.labelsAnd" -}}
{{- mergeOverwrite (include "kwitness.labels" . | fromYaml) (.extra | default dict) | toYaml -}}
{{- end }}

{{/* Name of an object of the whole cluster; such a name may be long, and cut it might be another installation's. */}}
{{- define "kwitness.clusterName" -}}
{{ printf "kwitness-%s-%s" .root.Release.Namespace .what }}
{{- end }}

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
