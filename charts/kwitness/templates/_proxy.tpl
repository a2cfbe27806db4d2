{{/*
The proxy of `global.proxy` as programs read it: by variables, and Java by options and settings of S3A. As JSON.
*/}}

{{/* Hosts and domains that are asked directly. Of the API server the kubelet knows the address. */}}
{{- define "kwitness.noProxy" -}}
{{- concat (list "$(KUBERNETES_SERVICE_HOST)" "localhost" "127.0.0.1" "::1" ".svc" ".cluster.local") (.Values.global.proxy.noProxy | default list) | uniq | toJson -}}
{{- end }}

{{- define "kwitness.proxyEnvironment" -}}
{{- $env := list -}}
{{- $proxy := .Values.global.proxy | default dict -}}
{{- if or $proxy.httpProxy $proxy.httpsProxy -}}
{{- with $proxy.httpProxy }}{{ $env = append $env (dict "name" "HTTP_PROXY" "value" .) }}{{ end -}}
{{- with $proxy.httpsProxy }}{{ $env = append $env (dict "name" "HTTPS_PROXY" "value" .) }}{{ end -}}
{{- $env = append $env (dict "name" "NO_PROXY" "value" (include "kwitness.noProxy" . | fromJsonArray | join ",")) -}}
{{- end -}}
{{- toJson $env -}}
{{- end }}

{{/* Options of Java by a variable that its launcher reads; Spark's client of the API server reads none of them. */}}
{{- define "kwitness.javaProxyEnvironment" -}}
{{- $env := list -}}
{{- $proxy := .Values.global.proxy | default dict -}}
{{- if or $proxy.httpProxy $proxy.httpsProxy -}}
{{- $options := list -}}
{{- range $scheme, $url := dict "http" ($proxy.httpProxy | default $proxy.httpsProxy) "https" $proxy.httpsProxy -}}
{{- with $url }}{{ $address := include "kwitness.proxyAddress" . | fromJson }}{{ $options = concat $options (list (printf "-D%s.proxyHost=%s" $scheme $address.host) (printf "-D%s.proxyPort=%s" $scheme $address.port)) }}{{ end -}}
{{- end -}}
{{- $direct := list -}}
{{- range include "kwitness.noProxy" . | fromJsonArray -}}
{{- $name := trimPrefix "." . -}}
{{- $direct = append $direct (ternary (printf "[%s]" $name) $name (contains ":" $name)) -}}
{{- if not (regexMatch "^[$0-9:]" $name) }}{{ $direct = append $direct (printf "*.%s" $name) }}{{ end -}}
{{- end -}}
{{- $options = append $options (printf "-Dhttp.nonProxyHosts=%s" ($direct | join "|")) -}}
{{- $env = append $env (dict "name" "JDK_JAVA_OPTIONS" "value" ($options | join " ")) -}}
{{- end -}}
{{- toJson $env -}}
{{- end }}

{{/* Settings of S3A, whose client would take the proxy for plain HTTP whatever the store's scheme. */}}
{{- define "kwitness.storageProxy" -}}
{{- $proxy := .Values.global.proxy | default dict -}}
{{- $url := ternary $proxy.httpProxy $proxy.httpsProxy (hasPrefix "http:" .Values.analytics.storage.endpoint) -}}
{{- $settings := dict -}}
{{- if and $url (hasPrefix "s3a:" .Values.analytics.tableRoot) -}}
{{- $address := include "kwitness.proxyAddress" $url | fromJson -}}
{{- $settings = dict "fs.s3a.proxy.host" $address.host "fs.s3a.proxy.port" $address.port -}}
{{- end -}}
{{- toJson $settings -}}
{{- end }}

{{- define "kwitness.proxyAddress" -}}
{{- $host := regexReplaceAll "^http://|/$" . "" -}}
{{- dict "host" (regexReplaceAll ":[0-9]+$" $host "") "port" (regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default "80") | toJson -}}
{{- end }}
