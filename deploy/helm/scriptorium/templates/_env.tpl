{{/* The environment of a workload: the chart's variables, then its settings, then the operator's additions. */}}
{{- define "scriptorium.env" -}}
{{- if .about.publicPort }}
- name: HOST
  value: {{ .values.listenHost | quote }}
- name: PORT
  value: {{ .about.publicPort | toString | quote }}
{{- end }}
- name: INTERNAL_HOST
  value: {{ .values.listenHost | quote }}
- name: INTERNAL_PORT
  value: {{ .about.internalPort | toString | quote }}
{{- with .role }}
- name: TELEMETRY_ROLE
  value: {{ . }}
{{- end }}
{{- if .about.redis }}
{{- include "scriptorium.redisEnv" .root }}
{{- end }}
{{- range $name, $key := .about.secrets }}
{{- include "scriptorium.secretEnv" (dict "root" $.root "name" $name "key" $key) }}
{{- end }}
{{- range $name, $key := .about.optionalSecrets }}
{{- include "scriptorium.secretEnv" (dict "root" $.root "name" $name "key" $key "optional" true) }}
{{- end }}
{{- if eq .service "signer" }}
{{- include "scriptorium.signingEnv" .root }}
{{- end }}
{{- if and (eq .service "verifier") .root.Values.trust.existingConfigMap }}
- name: TRUST_PROFILES
  value: /etc/scriptorium/trust/{{ .root.Values.trust.profiles }}
{{- end }}
{{- if and (eq .service "gateway") (not (hasKey .values.settings "TRUST_PROXY_HOPS")) (or .values.ingress.enabled .values.httpRoute.enabled) }}
- name: TRUST_PROXY_HOPS
  value: "1"
{{- end }}
{{- range $name, $value := .values.settings }}
{{- /* null removes a default of the chart. */}}
{{- if not (kindIs "invalid" $value) }}
- name: {{ $name }}
  value: {{ include "scriptorium.text" $value | quote }}
{{- end }}
{{- end }}
{{- /* Traces cover document processing, not document opens. */}}
{{- if and .root.Values.tracing.enabled .about.redis }}
{{- include "scriptorium.tracingEnv" .root }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "scriptorium.secretEnv" }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "scriptorium.secretName" .root }}
      key: {{ get .root.Values.secrets.keys .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{- define "scriptorium.redisEnv" }}
{{- $secret := include "scriptorium.redisSecretName" . }}
{{- $internal := .Values.redis.internal.enabled }}
{{- $external := .Values.redis.external }}
{{- if $secret }}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ ternary "REDIS_URL" $external.queueUrlKey $internal }}
- name: REDIS_BLOB_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ ternary "REDIS_BLOB_URL" $external.blobUrlKey $internal }}
      optional: {{ not $internal }}
{{- else }}
- name: REDIS_URL
  value: redis://{{ include "scriptorium.fullname" . }}-redis-queue:6379
- name: REDIS_BLOB_URL
  value: redis://{{ include "scriptorium.fullname" . }}-redis-blob:6379
{{- end }}
{{- end }}

{{- define "scriptorium.signingEnv" }}
{{- if .Values.signing.developmentKey }}
- name: DEVELOPMENT_KEY_DIR
  value: /var/lib/scriptorium/development-key
- name: DEVELOPMENT_KEY_IN_PRODUCTION
  value: "true"
{{- else }}
{{- $files := .Values.signing.files }}
{{- range $name, $file := dict "SIGNING_PROFILES" $files.signingProfiles "TIMESTAMP_PROFILES" $files.timestampProfiles }}
{{- if $file }}
- name: {{ $name }}
  value: /etc/scriptorium/signing/{{ $file }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "scriptorium.tracingEnv" }}
- name: OTEL_TRACES_EXPORTER
  value: otlp
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ required "tracing.endpoint: set the endpoint for traces" .Values.tracing.endpoint | quote }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .Values.tracing.sampler }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ include "scriptorium.text" .Values.tracing.samplerArg | quote }}
{{- with .Values.tracing.resourceAttributes }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ . | quote }}
{{- end }}
{{- with .Values.tracing.headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: OTEL_EXPORTER_OTLP_HEADERS
{{- end }}
{{- end }}
