{{/*
Which namespaces the release touches. Each of these gives a JSON list: `fromJsonArray (include ... .)`.
*/}}

{{- define "kwitness.watchesAll" -}}
{{- if has "*" .Values.watchNamespaces }}true{{ end -}}
{{- end }}

{{/* Namespaces named one by one; the release's when everything or nothing is named. */}}
{{- define "kwitness.watchNamespaces" -}}
{{- if or (not .Values.watchNamespaces) (has "*" .Values.watchNamespaces) -}}
{{ list .Release.Namespace | toJson }}
{{- else -}}
{{ .Values.watchNamespaces | uniq | sortAlpha | toJson }}
{{- end -}}
{{- end }}

{{/* Namespaces whose ObserverDeployments may select pods of others, the first that prevails first. */}}
{{- define "kwitness.selectingNamespaces" -}}
{{- .Values.injector.otherNamespaces.from | default (list .Release.Namespace) | uniq | toJson -}}
{{- end }}

{{/* Whether pods of any namespace may get observers. */}}
{{- define "kwitness.injectsAnywhere" -}}
{{- if and .Values.injector.enabled (or (include "kwitness.watchesAll" .) (has "*" .Values.injector.otherNamespaces.to)) }}true{{ end -}}
{{- end }}

{{/* Namespaces, named one by one, whose pods may get observers. */}}
{{- define "kwitness.injectedNamespaces" -}}
{{- if not .Values.injector.enabled -}}
[]
{{- else -}}
{{ concat (include "kwitness.watchNamespaces" . | fromJsonArray) (without .Values.injector.otherNamespaces.to "*") | uniq | sortAlpha | toJson }}
{{- end -}}
{{- end }}

{{- define "kwitness.collectorNamespaces" -}}
{{- if .Values.collector.namespaces -}}
{{ .Values.collector.namespaces | uniq | sortAlpha | toJson }}
{{- else -}}
{{ include "kwitness.watchNamespaces" . }}
{{- end -}}
{{- end }}

{{- define "kwitness.analyticsNamespaces" -}}
{{- if not .Values.analytics.enabled -}}
[]
{{- else if .Values.analytics.namespaces -}}
{{ .Values.analytics.namespaces | uniq | sortAlpha | toJson }}
{{- else -}}
{{ list .Release.Namespace | toJson }}
{{- end -}}
{{- end }}
