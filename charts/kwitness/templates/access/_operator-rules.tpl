{{/*
What the operator may do in a namespace it watches. It only ever writes by server-side apply, and that is authorised
with the object's name even when it creates, so `rbac.*` can narrow every write to names known in advance
(decision record "Rights of the operator"). `list` and `watch` cannot be narrowed by name.
*/}}

{{- define "kwitness.operatorRules" -}}
- apiGroups: [kwitness.dev]
  resources: [kafkaclusters, clientmetricssubscriptions, observerdeployments, telemetrycollectors, interceptorprofiles, analyticsjobs, headerregistries]
  verbs: [get, list, watch]
- apiGroups: [kwitness.dev]
  resources: [kafkaclusters/status, clientmetricssubscriptions/status, observerdeployments/status, telemetrycollectors/status, interceptorprofiles/status, analyticsjobs/status, headerregistries/status]
  verbs: [get, patch]
# Children are watched so that drift is seen.
- apiGroups: [""]
  resources: [services, configmaps]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [statefulsets]
  verbs: [get, list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, list, watch]
- apiGroups: [batch]
  resources: [jobs, cronjobs]
  verbs: [get, list, watch]
{{- if .Values.monitoring.allowServiceMonitors }}
- apiGroups: [monitoring.coreos.com]
  resources: [servicemonitors]
  verbs: [get, list, watch]
{{- end }}
{{- $collectors := list }}
{{- range .Values.rbac.telemetryCollectors }}
{{- $collectors = append $collectors (printf "kwitness-collector-%s" .) }}
{{- end }}
{{- $replicaServices := list }}
{{- range $collectors }}
{{- $replicaServices = append $replicaServices (printf "%s-replicas" .) }}
{{- end }}
{{- $jobs := list }}
{{- range .Values.rbac.analyticsJobs }}
{{- $jobs = append $jobs (printf "kwitness-job-%s" .) }}
{{- end }}
{{- $narrow := and $collectors $jobs }}
{{- $writes := list
  (dict "group" "" "resources" (list "services") "names" (concat $collectors $replicaServices $jobs))
  (dict "group" "" "resources" (list "configmaps") "names" (concat $collectors $jobs))
  (dict "group" "apps" "resources" (list "statefulsets") "names" (concat $collectors $jobs))
  (dict "group" "policy" "resources" (list "poddisruptionbudgets") "names" $collectors)
  (dict "group" "networking.k8s.io" "resources" (list "networkpolicies") "names" (concat $collectors $jobs))
  (dict "group" "batch" "resources" (list "cronjobs") "names" $jobs)
  (dict "group" "batch" "resources" (list "jobs") "names" list) }}
{{- if .Values.monitoring.allowServiceMonitors }}
{{- $writes = append $writes (dict "group" "monitoring.coreos.com" "resources" (list "servicemonitors") "names" $collectors) }}
{{- end }}
{{- range $writes }}
- apiGroups: [{{ .group | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [create, patch, delete]
  {{- if and $narrow .names }}
  resourceNames: {{ .names | toJson }}
  {{- end }}
{{- end }}
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}
