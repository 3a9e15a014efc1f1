{{/* Rules that a schema cannot express. */}}
{{- define "scriptorium.checks" -}}
{{- with .Values.converter -}}
  {{- if not (dig "limits" "memory" "" (.resources | default dict)) -}}
    {{- fail "converter.resources.limits.memory: set a limit, of which converter.sharedMemory is a part" -}}
  {{- end -}}
  {{- $limit := include "scriptorium.bytes" .resources.limits.memory | int64 -}}
  {{- $shared := include "scriptorium.bytes" .sharedMemory | int64 -}}
  {{- if le $limit (add $shared (mul 512 1048576)) -}}
    {{- fail (printf "converter.sharedMemory (%s) counts as memory of the pod: converter.resources.limits.memory (%s) must be at least 512Mi more" .sharedMemory .resources.limits.memory) -}}
  {{- end -}}
{{- end -}}
{{- if .Values.redis.internal.enabled -}}
{{- range $role := list "queue" "blob" -}}
  {{- $own := get $.Values.redis.internal $role -}}
  {{- $bytes := include "scriptorium.bytes" ($own.maxmemory | replace "kb" "Ki" | replace "mb" "Mi" | replace "gb" "Gi") | int64 -}}
  {{- $limit := dig "limits" "memory" "" $own.resources -}}
  {{- if and $limit (le (include "scriptorium.bytes" $limit | int64) $bytes) -}}
    {{- fail (printf "redis.internal.%s.resources.limits.memory: must be more than maxmemory (%s), best by a quarter" $role $own.maxmemory) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
{{- range include "scriptorium.workloads" . | fromYamlArray -}}
  {{- if and (eq (toString .values.strategy.maxUnavailable | trimSuffix "%") "0") (eq (toString .values.strategy.maxSurge | trimSuffix "%") "0") -}}
    {{- fail (printf "%s.strategy: maxUnavailable and maxSurge are both 0, so no pod could be replaced" .component) -}}
  {{- end -}}
  {{- range .values.extraEnv -}}
    {{- if has .name (list "HOST" "PORT" "INTERNAL_HOST" "INTERNAL_PORT") -}}
      {{- fail (printf "extraEnv: %s is set by the chart, whose ports and probes need it; see listenHost" .name) -}}
    {{- end -}}
  {{- end -}}
  {{- range $labels := list $.Values.commonLabels .values.podLabels -}}
    {{- range $name, $value := $labels -}}
      {{- if has $name (list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component") -}}
        {{- fail (printf "commonLabels, podLabels: %s selects the pods of the chart; choose another name" $name) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- $scaling := .values.autoscaling -}}
  {{- if and (ne $scaling.mode "none") (gt (int64 $scaling.min) (int64 $scaling.max)) -}}
    {{- fail (printf "%s.autoscaling: min is more than max" .component) -}}
  {{- end -}}
  {{- if and (eq $scaling.mode "hpa") (not (dig "requests" "cpu" "" .values.resources)) -}}
    {{- fail (printf "%s.resources.requests.cpu: scaling by CPU requires a CPU request" .component) -}}
  {{- end -}}
  {{- if and (eq $scaling.mode "keda") (not $.Values.redis.internal.enabled) (not $.Values.redis.keda.address) -}}
    {{- fail (printf "redis.keda.address: %s scales by jobs, and KEDA needs host:port of the queues' Redis" .component) -}}
  {{- end -}}
{{- end -}}
{{- $deadlineMs := dig "settings" "DEADLINE_MS" (dig "settings" "DEADLINE_MS" 60000 .Values.defaults) .Values.gateway | int64 -}}
{{- range include "scriptorium.workloads" . | fromYamlArray -}}
  {{- $drainMs := dig "settings" "DRAIN_MS" 5000 .values | int64 -}}
  {{- $workMs := $deadlineMs -}}
  {{- if eq .component "gateway" -}}
    {{- /* A gateway keeps serving first, and slow readers have one minute beyond the deadline. */ -}}
    {{- $workMs = add $drainMs $deadlineMs 60000 -}}
  {{- else if eq .service "telemetry" -}}
    {{- /* A request, the wait for the database, and a write. */ -}}
    {{- $workMs = add $drainMs 10000 (dig "settings" "DATABASE_WAIT_MS_MAX" 8000 .values | int64) 10000 -}}
  {{- end -}}
  {{- $needed := div (add $workMs 15999) 1000 -}}
  {{- if lt (int64 .values.terminationGracePeriodSeconds) $needed -}}
    {{- fail (printf "%s.terminationGracePeriodSeconds: must be at least %d, the seconds that it may need to finish its work" .component $needed) -}}
  {{- end -}}
{{- end -}}
{{- $ofGateway := mergeOverwrite (deepCopy .Values.defaults.settings) (deepCopy .Values.gateway.settings) -}}
{{- if ne (not $ofGateway.REGISTRATION_DOMAINS) (ne (include "scriptorium.registration" . | trim) "domains") -}}
  {{- fail "gateway.settings.REGISTRATION_DOMAINS: goes with REGISTRATION=domains" -}}
{{- end -}}
{{- if and .Values.monitoring.serviceMonitor.enabled .Values.monitoring.podMonitor.enabled -}}
  {{- fail "monitoring: serviceMonitor and podMonitor would count the same metrics twice; enable only one" -}}
{{- end -}}
{{- if and .Values.signer.enabled .Values.signing.developmentKey -}}
  {{- if or (ne .Values.signer.autoscaling.mode "none") (ne (int64 .Values.signer.replicas) 1) -}}
    {{- fail "signing.developmentKey: each signer would create its own key; set signer.autoscaling.mode=none and signer.replicas=1" -}}
  {{- end -}}
{{- end -}}
{{- end }}
