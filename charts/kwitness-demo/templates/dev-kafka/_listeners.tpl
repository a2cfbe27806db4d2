{{/*
Listeners of the development Kafka: name, port, protocol, SASL mechanisms. One per way a client can connect.
*/}}

{{- define "kwitness.devKafkaListeners" -}}
- {name: PLAINTEXT, port: 9092, protocol: PLAINTEXT}
{{- if .Values.devKafka.secureListeners }}
- {name: SSL, port: 9093, protocol: SSL, clientAuth: none}
- {name: MTLS, port: 9094, protocol: SSL, clientAuth: required}
- {name: SASL_SSL_PLAIN, port: 9095, protocol: SASL_SSL, clientAuth: none, mechanisms: PLAIN}
- {name: SASL_SSL_SCRAM, port: 9096, protocol: SASL_SSL, clientAuth: none, mechanisms: "SCRAM-SHA-512,SCRAM-SHA-256"}
- {name: SASL_PLAINTEXT_PLAIN, port: 9097, protocol: SASL_PLAINTEXT, mechanisms: PLAIN}
{{- end }}
{{- end }}
