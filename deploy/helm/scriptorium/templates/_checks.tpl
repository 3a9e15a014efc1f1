{{/* Rules that a schema cannot express. */}}
{{- define "scriptorium.checks" -}}
{{- with .Values.converter -}}
  {{- $limit := include "scriptorium.bytes" .resources.limits.memory | int64 -}}
  {{- $shared := include "scriptorium.bytes" .sharedMemory | int64 -}}
  {{- if le $limit (add $shared (mul 512 1048576)) -}}
    {{- fail (printf "converter.sharedMemory (%s) counts as memory of the pod: converter.resources.limits.memory (%s) must be at least 512Mi more" .sharedMemory .resources.limits.memory) -}}
  {{- end -}}
{{- end -}}
{{- range include "scriptorium.workloads" . | fromYamlArray -}}
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
{{- if and .Values.monitoring.serviceMonitor.enabled .Values.monitoring.podMonitor.enabled -}}
  {{- fail "monitoring: serviceMonitor and podMonitor would count the same metrics twice; enable only one" -}}
{{- end -}}
{{- if and .Values.signer.enabled .Values.signing.developmentKey -}}
  {{- if or (ne .Values.signer.autoscaling.mode "none") (ne (int64 .Values.signer.replicas) 1) -}}
    {{- fail "signing.developmentKey: each signer would create its own key; set signer.autoscaling.mode=none and signer.replicas=1" -}}
  {{- end -}}
{{- end -}}
{{- end }}
