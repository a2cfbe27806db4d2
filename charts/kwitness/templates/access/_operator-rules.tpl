{{/*
What the operator may do in a namespace it watches. It only ever writes by server-side apply, and that is authorised
with the object's name even when it creates, so `rbac.*` can narrow every write to names known in advance
(docs/decisions/0020). What it may have to replace, it may delete too; the rest goes with its owner.
*/}}

{{- define "kwitness.operatorRules" -}}
- apiGroups: [kwitness.dev]
  resources: [kafkaclusters, clientmetricssubscriptions, observerdeployments, telemetrycollectors, interceptorprofiles, analyticsjobs, headerregistries]
  verbs: [get, list, watch]
- apiGroups: [kwitness.dev]
  resources: [kafkaclusters/status, clientmetricssubscriptions/status, observerdeployments/status, telemetrycollectors/status, interceptorprofiles/status, analyticsjobs/status, headerregistries/status]
  verbs: [get, patch]
{{- $reads := dict "" (list "services" "configmaps" "serviceaccounts") "policy" (list "poddisruptionbudgets")
  "networking.k8s.io" (list "networkpolicies") }}
{{- if .Values.analytics.enabled }}
{{- $_ := set $reads "batch" (list "cronjobs" "jobs") }}
{{- end }}
{{- if .Values.monitoring.allowServiceMonitors }}
{{- $_ := set $reads "monitoring.coreos.com" (list "servicemonitors") }}
{{- end }}
# What runs pods is watched, by the label kwitness.dev/managed=true, which a Role cannot say.
- apiGroups: [apps]
  resources: [statefulsets, deployments]
  verbs: [get, list, watch]
# Other children are read by name; foreign changes are found by comparison, once a minute.
{{- range $group, $resources := $reads }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ $resources | toJson }}
  verbs: [get]
{{- end }}
{{- $collectors := list }}
{{- range .Values.rbac.telemetryCollectors }}
{{- $collectors = append $collectors (include "kwitness.cutName" (dict "name" (printf "kwitness-collector-%s" .) "limit" 52)) }}
{{- end }}
{{- $replicaServices := list }}
{{- range $collectors }}
{{- $replicaServices = append $replicaServices (include "kwitness.cutName" (dict "name" (printf "%s-replicas" .) "limit" 63)) }}
{{- end }}
{{- $claims := list }}
{{- range $collector := $collectors }}
{{- range $ordinal := until (int $.Values.limits.maxCollectorReplicas) }}
{{- $claims = append $claims (printf "state-%s-%d" $collector $ordinal) }}
{{- end }}
{{- end }}
{{- $clusters := list }}
{{- range .Values.rbac.kafkaClusters }}
{{- $clusters = append $clusters (include "kwitness.cutName" (dict "name" (printf "kwitness-cluster-%s" .) "limit" 253)) }}
{{- end }}
{{- $jobs := list }}
{{- range .Values.rbac.analyticsJobs }}
{{- $jobs = append $jobs (include "kwitness.cutName" (dict "name" (printf "kwitness-job-%s" .) "limit" 52)) }}
{{- end }}
{{- $gateways := list }}
{{- $ports := list }}
{{- $hosts := list }}
{{- range .Values.rbac.observerDeployments }}
{{- $hosts = append $hosts (include "kwitness.cutName" (dict "name" (printf "kwitness-host-%s" .) "limit" 63)) }}
{{- $gateway := include "kwitness.cutName" (dict "name" (printf "kwitness-gateway-%s" .) "limit" 63) }}
{{- $gateways = append $gateways $gateway }}
{{- $ports = append $ports (printf "%s-ports" $gateway) }}
{{- end }}
{{- $narrow := and $collectors (or $jobs (not .Values.analytics.enabled)) }}
{{- $writes := list
  (dict "group" "" "resources" (list "services") "names" (concat $collectors $replicaServices $gateways $jobs))
  (dict "group" "" "resources" (list "configmaps") "names" (concat $clusters $collectors $gateways $ports $hosts $jobs))
  (dict "group" "apps" "delete" true "resources" (list "statefulsets") "names" (concat $collectors $jobs))
  (dict "group" "policy" "delete" true "resources" (list "poddisruptionbudgets") "names" (concat $collectors $gateways $hosts))
  (dict "group" "networking.k8s.io" "resources" (list "networkpolicies") "names" (concat $collectors $jobs)) }}
{{- if or $gateways (not $narrow) }}
{{- $writes = concat $writes (list
  (dict "group" "apps" "delete" true "resources" (list "deployments") "names" (concat $gateways $hosts))
  (dict "group" "" "resources" (list "serviceaccounts") "names" $gateways)) }}
{{- end }}
{{- if .Values.analytics.enabled }}
{{- $writes = concat $writes (list
  (dict "group" "batch" "delete" true "resources" (list "cronjobs") "names" $jobs)
  (dict "group" "batch" "delete" true "resources" (list "jobs") "names" list)) }}
{{- end }}
{{- if .Values.monitoring.allowServiceMonitors }}
{{- $writes = append $writes (dict "group" "monitoring.coreos.com" "delete" true "resources" (list "servicemonitors") "names" $collectors) }}
{{- end }}
# A larger spec.storage.size is written to the claims that stand, which the StatefulSet does not do.
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get{{ if or (and $narrow $claims) (and .Values.rbac.growAnyClaim (not $claims)) }}, patch{{ end }}]
  {{- if and $narrow $claims }}
  resourceNames: {{ $claims | toJson }}
  {{- end }}
{{- if and $claims (not $narrow) }}
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [patch]
  resourceNames: {{ $claims | toJson }}
{{- end }}
{{- range $writes }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [create, patch{{ if .delete }}, delete{{ end }}]
  {{- if and $narrow .names }}
  resourceNames: {{ .names | toJson }}
  {{- end }}
{{- end }}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [get, create, patch]
{{- end }}
