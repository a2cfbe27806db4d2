{{/*
The console's settings file as JSON; its fields are those of kwitness.console.pod.settings. Each of these gives JSON: `fromJson (include ... .)`.
*/}}

{{/* The KafkaCluster, and the collector for which the pod has a token. */}}
{{- define "kwitness.consoleNames" -}}
{{- $cluster := .Values.console.kafkaCluster -}}
{{- $namespace := $cluster.namespace | default .Release.Namespace -}}
{{- $collector := .Values.console.collector -}}
{{- dict
  "cluster" (dict "namespace" $namespace "name" $cluster.name)
  "collector" (dict "namespace" ($collector.namespace | default $namespace) "name" $collector.name "caConfigMap" $collector.caConfigMap)
  | toJson -}}
{{- end }}

{{- define "kwitness.consoleSettings" -}}
{{- $values := .Values.console -}}
{{- $names := include "kwitness.consoleNames" . | fromJson -}}
{{- $tls := dict "plaintext" true -}}
{{- if not $values.tls.plaintext -}}
{{- $tls = dict "certificateFile" "/etc/kwitness/certificate/tls.crt" "keyFile" "/etc/kwitness/certificate/tls.key" -}}
{{- end -}}
{{- $signIn := dict
  "externalUrl" $values.url
  "methods" $values.signIn.methods
  "proxyHeader" $values.signIn.proxyHeader
  "permissionsSeconds" $values.signIn.permissionsSeconds
  "clientsRole" (ternary "view" (include "kwitness.clientsRole" .) $values.aggregateToView) -}}
{{- if has "oidc" $values.signIn.methods -}}
{{- $oidc := $values.signIn.oidc -}}
{{- $provider := pick $oidc "issuer" "clientId" "scopes" "checkedBy" "usernameClaim" "usernamePrefix" "groupsClaim" "groupsPrefix" -}}
{{- if not $oidc.groupsClaim }}{{ $_ := set $provider "groupsClaim" nil }}{{ end -}}
{{- if $oidc.secret }}{{ $_ := set $provider "clientSecretFile" "/etc/kwitness/oidc-secret/clientSecret" }}{{ end -}}
{{- if $oidc.caConfigMap }}{{ $_ := set $provider "caFile" "/etc/kwitness/oidc-ca/ca.crt" }}{{ end -}}
{{- $_ := set $signIn "oidc" $provider -}}
{{- end -}}
{{- dict
  "kafkaCluster" $names.cluster
  "prometheus" $values.prometheus
  "signIn" $signIn
  "tls" $tls
  "logLevel" $values.logLevel
  | toJson -}}
{{- end }}

{{- define "kwitness.clientsRole" -}}
{{ include "kwitness.clusterName" (dict "root" . "what" "clients") }}
{{- end }}
