{{/*
A dashboard of the file `path`. With console.url, what leads to the dashboard of a client or topic leads to the console's page of it first:
the same variable, which Grafana writes for addresses, in front of the first of these links.
*/}}
{{- define "kwitness.dashboard" -}}
{{- $text := .root.Files.Get .path -}}
{{- with $console := .root.Values.console.url -}}
{{- $pages := dict "client" (list "kwitness-client-health" "client_id" "clients") "topic" (list "kwitness-traffic" "topic" "topics") -}}
{{- range $subject, $page := $pages -}}
{{- $link := printf `\{\s*"title": "[^"]*",\s*"url": "/d/%s\?var-%s=(\$\{[^}]*:percentencode\})[^"]*"\s*\}` (index $page 0) (index $page 1) -}}
{{- $added := printf `{"title": "This %s in the console", "url": "%s/%s/${1}", "targetBlank": true}` $subject $console (index $page 2) -}}
{{- $text = regexReplaceAll $link $text (print $added ", $0") -}}
{{- end -}}
{{- end -}}
{{- $text -}}
{{- end -}}
