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
{{- include "scriptorium.redisEnv" (dict "root" .root "service" .service) }}
{{- end }}
{{- range $name, $key := .about.secrets }}
{{- $isOptional := and (eq $name "SMTP_URL") (eq (include "scriptorium.registration" $.root) "closed") }}
{{- include "scriptorium.secretEnv" (dict "root" $.root "name" $name "key" $key "optional" $isOptional) }}
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
{{- if and (eq .component "gateway") .root.Values.bootstrapKey.existingSecret }}
- name: BOOTSTRAP_API_KEY_FILE
  value: /etc/scriptorium/bootstrap/{{ .root.Values.bootstrapKey.key }}
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

{{/* Who gets an API key by mail. Without mails, there need be no mail server. */}}
{{- define "scriptorium.registration" -}}
{{ dig "settings" "REGISTRATION" (dig "settings" "REGISTRATION" "open" .Values.defaults) .Values.gateway }}
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

{{/* Each service has its own user of Redis. Kubernetes puts the password into the addresses after it. */}}
{{- define "scriptorium.redisEnv" }}
{{- $root := .root }}
{{- $external := $root.Values.redis.external }}
{{- if $root.Values.redis.internal.enabled }}
{{- include "scriptorium.secretEnv" (dict "root" $root "name" "REDIS_PASSWORD" "key" (printf "redis%sPassword" (title .service))) }}
{{- range $name, $role := dict "REDIS_URL" "queue" "REDIS_BLOB_URL" "blob" }}
- name: {{ $name }}
  value: {{ ternary "rediss" "redis" $root.Values.redis.internal.tls.enabled }}://{{ $.service }}:$(REDIS_PASSWORD)@{{ include "scriptorium.fullname" $root }}-redis-{{ $role }}:6379
{{- end }}
{{- else }}
{{- $suffix := ternary (printf "_%s" (upper .service)) "" $external.perService }}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret }}
      key: {{ $external.queueUrlKey }}{{ $suffix }}
- name: REDIS_BLOB_URL
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret }}
      key: {{ $external.blobUrlKey }}{{ $suffix }}
      optional: true
- name: REDIS_SENTINELS
  valueFrom:
    secretKeyRef:
      name: {{ $external.existingSecret }}
      key: {{ $external.sentinelsKey }}
      optional: true
{{- end }}
{{- with include "scriptorium.redisAuthority" $root | fromYaml }}
- name: REDIS_CA_FILE
  value: /etc/scriptorium/redis/{{ .key }}
{{- end }}
{{- end }}

{{- define "scriptorium.redisTlsSecret" -}}
{{ required "redis.internal.tls.existingSecret: set the Secret with the certificate of the Redis servers" .Values.redis.internal.tls.existingSecret }}
{{- end }}

{{/* The Secret and key of the authority of Redis; empty without one. */}}
{{- define "scriptorium.redisAuthority" -}}
{{- $internal := .Values.redis.internal -}}
{{- $external := .Values.redis.external -}}
{{- if and $internal.enabled $internal.tls.enabled -}}
{{ dict "secret" (include "scriptorium.redisTlsSecret" .) "key" $internal.tls.caKey | toYaml }}
{{- else if and (not $internal.enabled) $external.caSecret -}}
{{ dict "secret" $external.caSecret "key" $external.caKey | toYaml }}
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
