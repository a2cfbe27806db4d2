{{/* Which entry of images Spark's drivers and executors have. */}}
{{- define "kwitness.sparkImageName" -}}
{{ if hasPrefix "s3a:" .Values.analytics.tableRoot }}sparkS3a{{ else }}spark{{ end }}
{{- end }}
