{{/*
The rules about clients with the thresholds, times and switches of the values rules.clients: the alert KwitnessClientThrottled
is rules.clients.throttled.
*/}}

{{- define "kwitness.clientRules" -}}
{{- $wanted := .Values.rules.clients }}
{{- $groups := list }}
{{- range $group := (.Files.Get "rules/clients.yaml" | fromYaml).groups }}
{{- $rules := list }}
{{- range $rule := $group.rules }}
{{- if eq (default "" $rule.record) "kwitness:client_threshold" }}
{{- $settings := get $wanted $rule.labels.alert }}
{{- $rules = append $rules (set $rule "expr" (get $settings $rule.labels.threshold | toString)) }}
{{- else if $rule.alert }}
{{- $settings := get $wanted ($rule.alert | trimPrefix "KwitnessClient" | untitle) }}
{{- if $settings.enabled }}
{{- include "kwitness.linkRule" (dict "root" $ "rule" $rule) }}
{{- $rules = append $rules (set $rule "for" $settings.for) }}
{{- end }}
{{- else }}
{{- $rules = append $rules $rule }}
{{- end }}
{{- end }}
{{- if $rules }}
{{- $groups = append $groups (set $group "rules" $rules) }}
{{- end }}
{{- end }}
{{- toYaml $groups }}
{{- end }}
