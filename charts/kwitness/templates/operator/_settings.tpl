{{/*
The operator's settings file, as JSON; its fields are those of kwitness.operator.settings.
*/}}

{{- define "kwitness.operatorSettings" -}}
{{- $values := .Values -}}
{{- $images := dict "collector" (include "kwitness.image" (dict "root" . "name" "collector"))
  "collectorPullPolicy" $values.images.collector.pullPolicy "sparkPullPolicy" (index $values.images (include "kwitness.sparkImageName" .)).pullPolicy
  "observer" (include "kwitness.image" (dict "root" . "name" "observer")) "observerPullPolicy" $values.images.observer.pullPolicy
  "observerHost" (include "kwitness.image" (dict "root" . "name" "observerHost")) "observerHostPullPolicy" $values.images.observerHost.pullPolicy
  "interceptors" (include "kwitness.image" (dict "root" . "name" "interceptors")) "interceptorsPullPolicy" $values.images.interceptors.pullPolicy -}}
{{- if $values.analytics.enabled }}{{ $_ := set $images "spark" (include "kwitness.image" (dict "root" . "name" (include "kwitness.sparkImageName" .))) }}{{ end -}}
{{- $analytics := dict "namespaces" (include "kwitness.analyticsNamespaces" . | fromJsonArray)
  "tableRoot" $values.analytics.tableRoot "tableClaim" ($values.analytics.tableClaim | default nil)
  "singleNode" $values.analytics.singleNode "serviceAccount" "kwitness-spark"
  "driver" (dict "resources" ($values.analytics.driver.resources | default dict) "memory" $values.analytics.driver.memory
    "pod" (include "kwitness.pod" (dict "root" . "own" $values.analytics.driver.pod "env" (include "kwitness.javaProxyEnvironment" . | fromJsonArray)) | fromJson))
  "executor" (dict "pod" (include "kwitness.pod" (dict "root" . "own" $values.analytics.executor.pod "env" (include "kwitness.javaProxyEnvironment" . | fromJsonArray)) | fromJson))
  "sparkUser" $values.analytics.sparkUser "storage" (include "kwitness.storageSettings" . | fromJson) -}}
{{- $root := $values.analytics.tableRoot -}}
{{- if and $values.analytics.enabled (hasPrefix "file:" $root) (not (regexMatch "^file:///var/lib/kwitness(/[^/.][^/]*)*/?$" $root)) -}}
{{ fail (printf "analytics.tableRoot is %s, which is not under the mount /var/lib/kwitness of analytics.tableClaim, so tables would be lost with their pod: choose a path under file:///var/lib/kwitness, or an object store such as s3a://bucket/kwitness" $root) }}
{{- end -}}
{{- if and $values.analytics.enabled (regexMatch "^s3n?:" $root) -}}
{{ fail (printf "analytics.tableRoot is %s, a scheme that Hadoop does not read: write s3a://" $root) }}
{{- end -}}
{{- $others := dict "from" (include "kwitness.selectingNamespaces" . | fromJsonArray) "to" ($values.injector.otherNamespaces.to | default list) -}}
{{- if has "*" $others.to }}{{ $_ := set $others "to" (list "*") }}{{ end -}}
{{- $injector := dict "enabled" $values.injector.enabled "otherNamespaces" $others -}}
{{- $hosts := dict }}{{- range $secret, $list := $values.credentials.hosts }}{{ if $list }}{{ $_ := set $hosts $secret $list }}{{ end }}{{ end -}}
{{- $watched := include "kwitness.watchNamespaces" . | fromJsonArray -}}
{{- if include "kwitness.watchesAll" . }}{{ $watched = list "*" }}{{ end -}}
{{- dict
  "namespace" .Release.Namespace
  "watchNamespaces" $watched
  "installation" ($values.installation | default nil)
  "serviceAccount" "kwitness-operator"
  "images" $images
  "imagePullSecrets" ($values.global.imagePullSecrets | default list)
  "trustBundle" (include "kwitness.trustBundle" . | fromJson | default nil)
  "pods" (dict "runAsUser" $values.pods.runAsUser "fsGroup" $values.pods.fsGroup)
  "collector" (dict "serviceAccount" "kwitness-collector" "namespaces" (include "kwitness.collectorNamespaces" . | fromJsonArray) "serviceMonitors" $values.monitoring.allowServiceMonitors
    "resources" ($values.collector.resources | default dict) "storageClass" ($values.collector.storageClass | default nil)
    "clientPods" ($values.collector.clientPods | uniq | sortAlpha)
    "pod" (include "kwitness.pod" (dict "root" . "own" $values.collector.pod "env" (include "kwitness.proxyEnvironment" . | fromJsonArray)) | fromJson))
  "observer" (dict "resources" ($values.observer.resources | default dict) "transparentUser" $values.observer.transparentUser
    "sidecar" (dict "resources" ($values.observer.sidecar.resources | default dict))
    "pod" (include "kwitness.pod" (dict "root" . "own" $values.observer.pod) | fromJson))
  "interceptors" (dict "resources" ($values.interceptors.resources | default dict))
  "injector" $injector
  "observerHost" (dict "resources" ($values.observerHost.resources | default dict)
    "pod" (include "kwitness.pod" (dict "root" . "own" $values.observerHost.pod) | fromJson))
  "analytics" $analytics
  "rulingClusters" ($values.rulingClusters | default list)
  "credentials" (dict "hosts" $hosts)
  "limits" ($values.limits | default dict)
  "electsLeader" (gt (int $values.operator.replicas) 1)
  "resyncSeconds" $values.operator.resyncSeconds
  "inventorySeconds" $values.operator.inventorySeconds
  "statusSeconds" $values.operator.statusSeconds
  "stallSeconds" $values.operator.stallSeconds
  "logLevel" $values.operator.logLevel
  | toJson -}}
{{- end }}

{{/* CA certificates of `global.trustBundle`, as JSON; empty where none are named. */}}
{{- define "kwitness.trustBundle" -}}
{{- $bundle := .Values.global.trustBundle | default dict -}}
{{- ternary (dict "configMap" $bundle.configMap "key" $bundle.key) dict (ne ($bundle.configMap | default "") "") | toJson -}}
{{- end }}

{{/* Where the object store of the tables is, and as whom it is asked. */}}
{{- define "kwitness.storageSettings" -}}
{{- $storage := .Values.analytics.storage -}}
{{- $identity := $storage.webIdentity -}}
{{- if and $storage.keysSecret $identity.roleArn -}}
{{ fail "analytics.storage.keysSecret and analytics.storage.webIdentity.roleArn are two identities: give one" }}
{{- end -}}
{{- if and $identity.roleArn (not $storage.region) -}}
{{ fail "analytics.storage.webIdentity.roleArn needs analytics.storage.region, where the token is exchanged" }}
{{- end -}}
{{- dict "endpoint" ($storage.endpoint | default nil) "region" ($storage.region | default nil) "pathStyle" $storage.pathStyle
  "keysSecret" ($storage.keysSecret | default nil) "settings" (merge (dict) ($storage.settings | default dict) (include "kwitness.storageProxy" . | fromJson))
  "webIdentity" (dict "roleArn" ($identity.roleArn | default nil) "audience" $identity.audience) | toJson -}}
{{- end }}
