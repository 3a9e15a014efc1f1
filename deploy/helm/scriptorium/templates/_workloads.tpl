{{/*
For each service: its ports, the queues of its jobs, the settings that define its concurrency, and the settings that
come from the Secret (by the name in `secrets.keys`; optional ones may be missing there).
*/}}
{{- define "scriptorium.services" -}}
gateway:
  internalPort: 9464
  publicPort: 8080
  redis: true
  secrets:
    DATABASE_URL: databaseUrl
    SMTP_URL: smtpUrl
    CODE_PEPPER: codePepper
    CONVERTER_JOB_SECRET: converterJobSecret
    ANNOTATOR_JOB_SECRET: annotatorJobSecret
    SIGNER_JOB_SECRET: signerJobSecret
    VERIFIER_JOB_SECRET: verifierJobSecret
  optionalSecrets: { SIGNER_SECRET: signerSecret, VERIFIER_SECRET: verifierSecret }
converter:
  internalPort: 9465
  redis: true
  queues: [convert]
  secrets: { CONVERTER_JOB_SECRET: converterJobSecret }
  threads: [ENGINES]
annotator:
  internalPort: 9466
  redis: true
  queues: [annotate, generate, inspect, merge, join]
  secrets: { ANNOTATOR_JOB_SECRET: annotatorJobSecret }
  threads: [ANNOTATORS]
signer:
  internalPort: 9467
  redis: true
  queues: [sign]
  secrets: { SIGNER_JOB_SECRET: signerJobSecret }
  threads: [SIGNERS]
  optionalSecrets: { SIGNER_SECRET: signerSecret }
verifier:
  internalPort: 9469
  redis: true
  queues: [verify]
  secrets: { VERIFIER_JOB_SECRET: verifierJobSecret }
  threads: [VERIFIERS]
  optionalSecrets: { VERIFIER_SECRET: verifierSecret }
telemetry:
  internalPort: 9468
  publicPort: 8081
  secrets: { DATABASE_URL: databaseUrl }
{{- end }}

{{/* All workloads: a list of {component, service, role, values, about}; `values` includes the defaults. */}}
{{- define "scriptorium.workloads" -}}
{{- $services := include "scriptorium.services" . | fromYaml -}}
{{- $workloads := list -}}
{{- range $service := list "gateway" "converter" "annotator" "signer" "verifier" "telemetry" -}}
  {{- $values := mergeOverwrite (deepCopy $.Values.defaults) (deepCopy (get $.Values $service)) -}}
  {{- if $values.enabled -}}
    {{- $workload := dict "component" $service "service" $service "values" $values "about" (get $services $service) -}}
    {{- if and (eq $service "telemetry") $values.consumer.separate -}}
      {{- $own := dict "replicas" $values.consumer.replicas "autoscaling" (dict "mode" "none") -}}
      {{- $consumer := mergeOverwrite (deepCopy $values) $own -}}
      {{- $_ := set $consumer "resources" $values.consumer.resources -}}
      {{- $second := mergeOverwrite (deepCopy $workload) (dict "component" "telemetry-consumer" "role" "consumer") -}}
      {{- $workloads = append $workloads (set $second "values" $consumer) -}}
      {{- $workload = set $workload "role" "collector" -}}
    {{- else if eq $service "telemetry" -}}
      {{- $workload = set $workload "role" "all" -}}
    {{- end -}}
    {{- $workloads = append $workloads $workload -}}
  {{- end -}}
{{- end -}}
{{ toYaml $workloads }}
{{- end }}

{{/* Concurrent jobs of a pod: the smallest number of any kind, so that scaling never falls short. */}}
{{- define "scriptorium.threads" -}}
{{- $least := 0 -}}
{{- range .about.threads -}}
  {{- $setting := get $.values.settings . -}}
  {{- if not $setting }}{{ fail (printf "%s.settings.%s: set a number; the pods are scaled by it" $.component .) }}{{ end -}}
  {{- $count := include "scriptorium.text" $setting | int64 -}}
  {{- $least = ternary $count (min $least $count) (eq (int64 $least) 0) -}}
{{- end -}}
{{ $least }}
{{- end }}

{{- define "scriptorium.image" -}}
{{- $image := .root.Values.image -}}
{{- $own := .values.image -}}
{{- with .root.Values.global.imageRegistry | default $image.registry }}{{ . }}/{{ end }}{{ $image.repository }}/{{ .service }}
{{- if $own.digest }}@{{ $own.digest }}{{ else }}:{{ $own.tag | default $image.tag | default .root.Chart.AppVersion }}{{ end -}}
{{- end }}

{{/* An image that is not ours: (dict "root" $ "image" "valkey/valkey:8.1-alpine"). */}}
{{- define "scriptorium.foreignImage" -}}
{{- with .root.Values.global.imageRegistry }}{{ . }}/{{ end }}{{ .image }}
{{- end }}

{{- define "scriptorium.secretName" -}}
{{ ternary (include "scriptorium.fullname" .) .Values.secrets.existingSecret .Values.secrets.create }}
{{- end }}

{{/* The Secret with the password of Redis that KEDA uses. */}}
{{- define "scriptorium.redisSecretName" -}}
{{ ternary (include "scriptorium.secretName" .) .Values.redis.external.existingSecret .Values.redis.internal.enabled }}
{{- end }}

{{/* Whether any workload scales by jobs. */}}
{{- define "scriptorium.usesKeda" -}}
{{- range (include "scriptorium.workloads" . | fromYamlArray) -}}
{{- if eq .values.autoscaling.mode "keda" }}true{{ end -}}
{{- end -}}
{{- end }}

{{- define "scriptorium.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
scaleDown:
  stabilizationWindowSeconds: {{ .values.autoscaling.scaleDownSeconds }}
{{- end }}
