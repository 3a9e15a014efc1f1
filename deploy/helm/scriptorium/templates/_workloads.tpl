{{/* All services, as `npm run docs` writes them from packages/contracts/src/services.ts. */}}
{{- define "scriptorium.services" -}}
{{ include "scriptorium.file" (dict "root" . "name" "services.yaml") }}
{{- end }}

{{/* The components with a property, such as `redis`, as a list in JSON: (dict "root" $ "with" "redis"). Each has a `name`. */}}
{{- define "scriptorium.components" -}}
{{- $names := list -}}
{{- range include "scriptorium.services" .root | fromYamlArray -}}
  {{- if hasKey . $.with -}}
    {{- $names = append $names .name -}}
    {{- if ne $.with "publicPort" -}}
      {{- with get (dict "telemetry" "telemetry-consumer" "gateway" "runner") .name }}{{ $names = append $names . }}{{ end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{ $names | sortAlpha | toJson }}
{{- end }}

{{/*
All workloads: a list of {component, service, role, hasCallers, values, about}; `values` includes the defaults. A part of a service
may have a workload of its own, which nobody calls.
*/}}
{{- define "scriptorium.workloads" -}}
{{- $workloads := list -}}
{{- range $about := include "scriptorium.services" . | fromYamlArray -}}
  {{- $service := $about.name -}}
  {{- $values := mergeOverwrite (deepCopy $.Values.defaults) (deepCopy (get $.Values $service)) -}}
  {{- if $values.enabled -}}
    {{- $workload := dict "component" $service "service" $service "values" $values "about" $about "hasCallers" (hasKey $about "publicPort") -}}
    {{- with ternary $values.consumer $values.runner (eq $service "telemetry") -}}
      {{- if .separate -}}
        {{- $max := int64 (.replicasMax | default .replicas) -}}
        {{- $scaling := dict "mode" (ternary "due" "none" (gt $max (int64 .replicas))) "min" .replicas "max" $max "scaleDownSeconds" 300 -}}
        {{- $own := dict "replicas" .replicas "autoscaling" $scaling -}}
        {{- $part := mergeOverwrite (deepCopy $workload) (dict "values" $own) -}}
        {{- $_ := set $part "hasCallers" false -}}
        {{- $_ := set $part.values "resources" .resources -}}
        {{- if eq $service "telemetry" -}}
          {{- $part = mergeOverwrite $part (dict "component" "telemetry-consumer" "role" "consumer") -}}
          {{- $workload = set $workload "role" "collector" -}}
        {{- else -}}
          {{- $part = mergeOverwrite $part (dict "component" "runner" "values" (dict "settings" (dict "JOBS_AT_A_TIME" .jobsAtATime))) -}}
          {{- $workload = mergeOverwrite $workload (dict "values" (dict "settings" (dict "JOBS_AT_A_TIME" "0"))) -}}
        {{- end -}}
        {{- $workloads = append $workloads $part -}}
      {{- else if eq $service "telemetry" -}}
        {{- $workload = set $workload "role" "all" -}}
      {{- end -}}
    {{- end -}}
    {{- $workloads = append $workloads $workload -}}
  {{- end -}}
{{- end -}}
{{ toYaml $workloads }}
{{- end }}

{{/* Concurrent jobs of a pod. */}}
{{- define "scriptorium.threads" -}}
{{- $setting := get .values.settings .about.threads -}}
{{- if not $setting }}{{ fail (printf "%s.settings.%s: set a number; the pods are scaled by it" .component .about.threads) }}{{ end -}}
{{ include "scriptorium.text" $setting | int64 }}
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
