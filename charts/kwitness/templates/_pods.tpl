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

{{- define "kwitness.placement" -}}
{{- with .Values.pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
tolerations: {{- include "kwitness.tolerations" . | nindent 2 }}
{{- with .Values.pods.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pods.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.pods.topologySpreadConstraints }}
topologySpreadConstraints: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Those of the values, and 30 s in place of 5 minutes on a node that does not answer, where these say nothing of it. */}}
{{- define "kwitness.tolerations" -}}
{{- $tolerations := .Values.pods.tolerations | default list -}}
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
