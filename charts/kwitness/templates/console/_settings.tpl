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
  "tables" $values.tables.folder
  "prometheus" $values.prometheus
  "signIn" $signIn
  "tls" $tls
  "logLevel" $values.logLevel
  | toJson -}}
{{- end }}

{{/* Variables by which the reader of tables finds the object store and takes a role, as a JSON list. Keys are files. */}}
{{- define "kwitness.consoleStoreEnvironment" -}}
{{- $tables := .Values.console.tables -}}
{{- $storage := .Values.analytics.storage -}}
{{- $isStore := not (hasPrefix "file:" .Values.analytics.tableRoot) -}}
{{- if and $tables.keysSecret $tables.roleArn -}}
{{ fail "console.tables.keysSecret and console.tables.roleArn are two identities: give one" }}
{{- end -}}
{{- if and $tables.roleArn (not $storage.region) -}}
{{ fail "console.tables.roleArn needs analytics.storage.region, where the token is exchanged" }}
{{- end -}}
{{- if and (or $tables.keysSecret $tables.roleArn) (not $isStore) -}}
{{ fail (printf "console.tables.keysSecret and console.tables.roleArn are for an object store, and analytics.tableRoot is %s: name the claim in console.tables.claim" .Values.analytics.tableRoot) }}
{{- end -}}
{{- $env := list -}}
{{- if $isStore -}}
{{- with $storage.endpoint }}{{ $env = append $env (dict "name" "AWS_ENDPOINT_URL" "value" .) }}{{ end -}}
{{- with $storage.region | default (ternary "us-east-1" "" (ne $storage.endpoint "")) }}{{ $env = append $env (dict "name" "AWS_REGION" "value" .) }}{{ end -}}
{{- end -}}
{{- if $tables.keysSecret }}{{ $env = append $env (dict "name" "KWITNESS_STORE_KEYS" "value" "/etc/kwitness/store-keys") }}{{ end -}}
{{- with $tables.roleArn -}}
{{- $env = append $env (dict "name" "AWS_ROLE_ARN" "value" .) -}}
{{- $env = append $env (dict "name" "AWS_WEB_IDENTITY_TOKEN_FILE" "value" "/var/run/secrets/kwitness/store/token") -}}
{{- end -}}
{{- if (include "kwitness.trustBundle" . | fromJson) -}}
{{- $env = concat $env (list (dict "name" "SSL_CERT_FILE" "value" "/etc/kwitness/trust-bundle/ca.crt") (dict "name" "SSL_CERT_DIR" "value" "/etc/ssl/certs")) -}}
{{- end -}}
{{- toJson $env -}}
{{- end }}

{{- define "kwitness.clientsRole" -}}
{{ include "kwitness.clusterName" (dict "root" . "what" "clients") }}
{{- end }}
