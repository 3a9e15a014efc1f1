{{/* Pod Security Standards, `restricted`: the pod's part. */}}
{{- define "scriptorium.podSecurity" -}}
runAsNonRoot: true
{{- range $name := list "runAsUser" "runAsGroup" "fsGroup" }}
{{- $id := get $.Values.podSecurity $name }}
{{- if $id }}
{{ $name }}: {{ int64 $id }}
{{- end }}
{{- end }}
seccompProfile:
  {{- toYaml .Values.podSecurity.seccompProfile | nindent 2 }}
{{- end }}

{{/* Pod Security Standards, `restricted`: the container's part. */}}
{{- define "scriptorium.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Without an account of its own, a pod runs under the default account of the namespace. */}}
{{- define "scriptorium.serviceAccountName" -}}
{{- $account := .values.serviceAccount -}}
{{- $own := ternary (printf "%s-%s" (include "scriptorium.fullname" .root) .component) "default" $account.create -}}
{{ $account.name | default $own }}
{{- end }}

{{/* What our pods and those of Redis have in common: (dict "root" $ "component" … "values" …). */}}
{{- define "scriptorium.podPlacement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ include "scriptorium.serviceAccountName" . }}
securityContext:
  {{- include "scriptorium.podSecurity" .root | nindent 2 }}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "hostAliases" "dnsConfig" }}
{{- with get $.values $field }}
{{ $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- range $field := list "priorityClassName" "runtimeClassName" "dnsPolicy" }}
{{- with get $.values $field }}
{{ $field }}: {{ . }}
{{- end }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
A converter needs about ten seconds to warm up, and longer on busy nodes. During a short fault of Redis or PostgreSQL
the gateway responds with a typed error; only a longer one makes it unready.
*/}}
{{- define "scriptorium.probes" -}}
{{- $live := dict "httpGet" (dict "path" "/livez" "port" "internal") -}}
{{- $ready := dict "httpGet" (dict "path" "/readyz" "port" "internal") -}}
{{- $startup := merge (dict "periodSeconds" 2 "timeoutSeconds" 2 "failureThreshold" 90) $live -}}
{{- $liveness := merge (dict "periodSeconds" 10 "timeoutSeconds" 5 "failureThreshold" 6) $live -}}
{{- $readiness := merge (dict "periodSeconds" 5 "timeoutSeconds" 3 "failureThreshold" 3) $ready -}}
{{- range $name, $probe := dict "startup" $startup "liveness" $liveness "readiness" $readiness }}
{{- $own := get $.values.probes $name }}
{{- if or $own.exec $own.tcpSocket $own.grpc }}{{ $_ := unset $probe "httpGet" }}{{ end }}
{{ $name }}Probe:
  {{- toYaml (mergeOverwrite $probe $own) | nindent 2 }}
{{- end }}
{{- end }}

{{- define "scriptorium.volumes" -}}
- name: tmp
  emptyDir: { medium: Memory, sizeLimit: {{ .values.tmpSize }} }
{{- if eq .service "converter" }}
- name: shared-memory
  emptyDir: { medium: Memory, sizeLimit: {{ .values.sharedMemory }} }
{{- end }}
{{- if eq .service "signer" }}
- name: signing
  {{- if .root.Values.signing.developmentKey }}
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
  {{- else }}
  secret:
    secretName: {{ required "signing.existingSecret: set the Secret of the signing keys, or signing.developmentKey=true for a trial" .root.Values.signing.existingSecret }}
    defaultMode: 0440
  {{- end }}
{{- end }}
{{- $authority := include "scriptorium.redisAuthority" .root | fromYaml }}
{{- if and .about.redis $authority }}
- name: redis-ca
  secret:
    secretName: {{ $authority.secret }}
    items: [{ key: {{ $authority.key }}, path: {{ $authority.key }} }]
{{- end }}
{{- if and (eq .component "gateway") .root.Values.bootstrapKey.existingSecret }}
- name: bootstrap-key
  secret:
    secretName: {{ .root.Values.bootstrapKey.existingSecret }}
    items: [{ key: {{ .root.Values.bootstrapKey.key }}, path: {{ .root.Values.bootstrapKey.key }} }]
{{- end }}
{{- if and (eq .service "verifier") .root.Values.trust.existingConfigMap }}
- name: trust
  configMap: { name: {{ .root.Values.trust.existingConfigMap }} }
{{- end }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "scriptorium.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if eq .service "converter" }}
- name: shared-memory
  mountPath: /dev/shm
{{- end }}
{{- if eq .service "signer" }}
- name: signing
  mountPath: {{ ternary "/var/lib/scriptorium/development-key" "/etc/scriptorium/signing" .root.Values.signing.developmentKey }}
  {{- if not .root.Values.signing.developmentKey }}
  readOnly: true
  {{- end }}
{{- end }}
{{- if and .about.redis (include "scriptorium.redisAuthority" .root) }}
- name: redis-ca
  mountPath: /etc/scriptorium/redis
  readOnly: true
{{- end }}
{{- if and (eq .component "gateway") .root.Values.bootstrapKey.existingSecret }}
- name: bootstrap-key
  mountPath: /etc/scriptorium/bootstrap
  readOnly: true
{{- end }}
{{- if and (eq .service "verifier") .root.Values.trust.existingConfigMap }}
- name: trust
  mountPath: /etc/scriptorium/trust
  readOnly: true
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "scriptorium.container" -}}
name: {{ .service }}
image: {{ include "scriptorium.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- include "scriptorium.containerSecurity" . | nindent 2 }}
ports:
  {{- with .about.publicPort }}
  - name: http
    containerPort: {{ . }}
  {{- end }}
  - name: internal
    containerPort: {{ .about.internalPort }}
env:
  {{- include "scriptorium.env" . | trim | nindent 2 }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "scriptorium.probes" . }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  {{- include "scriptorium.volumeMounts" . | nindent 2 }}
{{- end }}
