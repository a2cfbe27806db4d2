{{/*
The injector's names, and its settings file as JSON; its fields are those of kwitness.injector.settings.
*/}}

{{- define "kwitness.injectorWebhook" -}}
{{ include "kwitness.clusterName" (dict "root" . "what" "injector") }}
{{- end }}

{{- define "kwitness.injectorSettings" -}}
{{- $names := list (printf "kwitness-injector.%s.svc" .Release.Namespace) -}}
{{- $own := dict "secret" "kwitness-injector-certificate" "webhookConfiguration" (include "kwitness.injectorWebhook" .) "names" $names -}}
{{- $others := dict "folder" "/etc/kwitness/certificate" -}}
{{- dict
  "namespace" .Release.Namespace
  "injections" "kwitness-injections"
  "interceptors" "kwitness-interceptors"
  "podSecurityDefault" .Values.injector.podSecurityDefault
  "certificate" (ternary $others $own (ne .Values.injector.certificate.issuer.name ""))
  "clientCaFile" (ternary "/etc/kwitness/client-ca/ca.crt" nil (ne .Values.injector.clientAuth.caConfigMap ""))
  "logLevel" .Values.injector.logLevel
  | toJson -}}
{{- end }}
