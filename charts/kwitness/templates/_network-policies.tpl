{{/*
NetworkPolicies. What pods of ours carry in any case selects them, so the chart makes the policies of pods that the operator makes too.
A test compares names, labels and ports with those of the operator, and the table of docs/operations/network-policies.md with the objects.
*/}}

{{/* A NetworkPolicy: `pods` are labels, `ingress` and `egress` lists of rules, each absent where the policy leaves that direction alone. */}}
{{- define "kwitness.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .name }}
  namespace: {{ .namespace | quote }}
  labels: {{- include "kwitness.labels" (dict "root" .root "component" .component) | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- toYaml .pods | nindent 6 }}
  policyTypes:
    {{- range $direction := list "ingress" "egress" }}
    {{- if hasKey $ $direction }}
    - {{ title $direction }}
    {{- end }}
    {{- end }}
  {{- range $direction := list "ingress" "egress" }}
  {{- if hasKey $ $direction }}
  {{ $direction }}: {{- index $ $direction | toYaml | nindent 4 }}
  {{- end }}
  {{- end }}
{{- end }}

{{/* NetworkPolicy `name` of a component in each of `namespaces`, by its switches `policy`; `ingress` are rules, `to` names of destinations. */}}
{{- define "kwitness.networkPolicies" -}}
{{- $values := dict "root" .root "name" .name "component" .component "pods" .pods }}
{{- if and .policy.enabled .ingress }}{{ $_ := set $values "ingress" .ingress }}{{ end }}
{{- if .policy.egress.enabled }}
{{- $rules := include "kwitness.egressRules" (dict "root" .root "to" .to "extra" .policy.egress.extra) | fromJsonArray }}
{{- $_ := set $values "egress" $rules }}
{{- end }}
{{- if or (hasKey $values "ingress") (hasKey $values "egress") }}
{{- range .namespaces }}
---
{{ include "kwitness.networkPolicy" (merge (dict "namespace" .) $values) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Egress rules to destinations by name, and `extra` ones, as a JSON list. */}}
{{- define "kwitness.egressRules" -}}
{{- $own := dict
  "operator" (dict "pods" (include "kwitness.selector" (dict "component" "operator") | fromYaml) "ports" (list 8080))
  "collectors" (dict "pods" (dict "app.kubernetes.io/name" "kwitness-collector") "ports" (list 8443) "anywhere" true)
  "driverStatus" (dict "pods" (dict "app.kubernetes.io/name" "kwitness-job") "ports" (list 8090) "anywhere" true)
  "drivers" (dict "pods" (dict "app.kubernetes.io/name" "kwitness-job") "ports" (list 7078 7079))
  "executors" (dict "pods" (dict "app.kubernetes.io/name" "kwitness-executor") "ports" (list 7079)) -}}
{{- $rules := list -}}
{{- range .to -}}
{{- with index $own . -}}
{{- $peer := dict "podSelector" (dict "matchLabels" .pods) -}}
{{- if .anywhere }}{{ $_ := set $peer "namespaceSelector" dict }}{{ end -}}
{{- $ports := list -}}
{{- range .ports }}{{ $ports = append $ports (dict "port" . "protocol" "TCP") }}{{ end -}}
{{- $rules = append $rules (dict "to" (list $peer) "ports" $ports) -}}
{{- else -}}
{{- $rules = concat $rules (index $.root.Values.networkPolicy . | default list) -}}
{{- end -}}
{{- end -}}
{{- concat $rules (.extra | default list) | toJson -}}
{{- end }}

{{/* Namespaces of gateways and observer hosts. */}}
{{- define "kwitness.observedNamespaces" -}}
{{- if .Values.networkPolicy.namespaces -}}
{{ .Values.networkPolicy.namespaces | uniq | sortAlpha | toJson }}
{{- else if include "kwitness.watchesAll" . -}}
{{ fail "NetworkPolicies of gateways and observer hosts (observer.networkPolicy, observerHost.networkPolicy) need networkPolicy.namespaces where watchNamespaces is [\"*\"]: list the namespaces that have such pods" }}
{{- else -}}
{{ include "kwitness.watchNamespaces" . }}
{{- end -}}
{{- end }}
