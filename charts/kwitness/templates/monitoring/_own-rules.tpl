{{/*
The rules about kwitness itself and what its analyses find.
*/}}

{{- define "kwitness.ownRules" -}}
{{- $groups := (.Files.Get "rules/kwitness.yaml" | fromYaml).groups }}
{{- range $group := $groups }}
{{- range $rule := $group.rules }}
{{- include "kwitness.linkRule" (dict "root" $ "rule" $rule) }}
{{- end }}
{{- end }}
{{- toYaml $groups }}
{{- end }}

{{/* Puts console.url in front of an alert's annotation console_url, or removes that where there is none. */}}
{{- define "kwitness.linkRule" -}}
{{- $annotations := .rule.annotations | default dict }}
{{- if hasKey $annotations "console_url" }}
{{- if .root.Values.console.url }}
{{- $_ := set $annotations "console_url" (print .root.Values.console.url $annotations.console_url) }}
{{- else }}
{{- $_ := unset $annotations "console_url" }}
{{- end }}
{{- end }}
{{- end }}
