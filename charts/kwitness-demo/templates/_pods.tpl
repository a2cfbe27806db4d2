{{/*
What every pod has in common: image, Pod Security `restricted`, placement, pull secrets. The same file is in both charts,
and a test compares them.
*/}}

{{- define "kwitness.podSecurityContext" -}}
{{- $base := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- toYaml (mergeOverwrite $base (.extra | default dict)) -}}
{{- end }}

{{- define "kwitness.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "kwitness.pullSecrets" -}}
{{- with .Values.global.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/*
The values `pods` with a component's own `pod` over them, as JSON: labels, annotations, variables and the security context key by
key, the others as a whole. `env` are variables that both win over.
*/}}
{{- define "kwitness.pod" -}}
{{- $shared := .root.Values.pods | default dict -}}
{{- $own := .own | default dict -}}
{{- $pod := dict -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "dnsPolicy" "dnsConfig" -}}
{{- with get $own $key | default (get $shared $key) }}{{ $_ := set $pod $key . }}{{ end -}}
{{- end -}}
{{- range $key := list "labels" "annotations" "securityContext" -}}
{{- with mergeOverwrite (deepCopy (get $shared $key | default dict)) (get $own $key | default dict) }}{{ $_ := set $pod $key . }}{{ end -}}
{{- end -}}
{{- $env := list }}{{ $names := list -}}
{{- range concat (get $own "env" | default list | reverse) (get $shared "env" | default list | reverse) (.env | default list | reverse) -}}
{{- if not (has .name $names) }}{{ $names = append $names .name }}{{ $env = prepend $env . }}{{ end -}}
{{- end -}}
{{- with $env }}{{ $_ := set $pod "env" . }}{{ end -}}
{{- toJson $pod -}}
{{- end }}

{{/* Fields of a pod's spec that follow from `kwitness.pod`. */}}
{{- define "kwitness.placement" -}}
{{- with .pod.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
tolerations: {{- include "kwitness.tolerations" .pod | nindent 2 }}
{{- with .pod.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .pod.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- omit . "labelSelector" | toYaml | nindent 4 }}
    labelSelector: {{- .labelSelector | default (dict "matchLabels" (include "kwitness.selector" $ | fromYaml)) | toYaml | nindent 6 }}
  {{- end }}
{{- end }}
{{- with .pod.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .pod.dnsConfig }}
dnsConfig: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Those of the values, and 30 s in place of 5 minutes on a node that does not answer, where these say nothing of it. */}}
{{- define "kwitness.tolerations" -}}
{{- $tolerations := .tolerations | default list -}}
{{- $keys := list }}{{ range $tolerations }}{{ $keys = append $keys (.key | default "") }}{{ end -}}
{{- range list "node.kubernetes.io/not-ready" "node.kubernetes.io/unreachable" -}}
{{- if not (or (has . $keys) (has "" $keys)) -}}
{{- $tolerations = append $tolerations (dict "key" . "operator" "Exists" "effect" "NoExecute" "tolerationSeconds" 30) -}}
{{- end -}}
{{- end -}}
{{- toYaml $tolerations -}}
{{- end }}

{{/* Replicas on different nodes, where there are such. */}}
{{- define "kwitness.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "kwitness.selector" (dict "component" .component) | nindent 6 }}
{{- end }}

{{/* Full reference of an image. */}}
{{- define "kwitness.image" -}}
{{- $image := index .root.Values.images .name -}}
{{- with .root.Values.global.imageRegistry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}
