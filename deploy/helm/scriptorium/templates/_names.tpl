{{- define "scriptorium.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* At most 35 characters and no dot, so that `<it>-telemetry-consumer-internal` is a DNS label (63) too. */}}
{{- define "scriptorium.fullname" -}}
{{- $name := include "scriptorium.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{ .Values.fullnameOverride | default $full | replace "." "-" | trunc 35 | trimSuffix "-" }}
{{- end }}

{{/* Selects all pods of the release. */}}
{{- define "scriptorium.releaseLabels" -}}
app.kubernetes.io/name: {{ include "scriptorium.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Selects the pods of one component: (dict "root" $ "component" "gateway"). */}}
{{- define "scriptorium.selectorLabels" -}}
{{ include "scriptorium.releaseLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* Metadata of an object: (dict "root" $ "component" "gateway" "name" "…" "annotations" dict); the default name is the component's. */}}
{{- define "scriptorium.metadata" -}}
name: {{ .name | default (printf "%s-%s" (include "scriptorium.fullname" .root) .component) }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "scriptorium.selectorLabels" . | nindent 2 }}
  app.kubernetes.io/part-of: scriptorium
  app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ .root.Release.Service }}
  helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A value as text. Helm reads numbers from YAML as floats: 26214400 must not become 2.62144e+07, nor 0.00001 become 1e-05. */}}
{{- define "scriptorium.text" -}}
{{- if not (kindIs "float64" .) }}{{ toString . }}
{{- else if eq (floor .) . }}{{ int64 . }}
{{- else }}{{ regexReplaceAll "0+$" (printf "%.12f" .) "" }}
{{- end -}}
{{- end }}

{{/* A quantity of memory in bytes. */}}
{{- define "scriptorium.bytes" -}}
{{- $text := toString . -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "" 1 -}}
{{- $number := regexFind "^[0-9]+" $text -}}
{{- $unit := trimPrefix $number $text -}}
{{- if not (hasKey $units $unit) }}{{ fail (printf "%s: write memory in Ki, Mi or Gi" $text) }}{{ end -}}
{{ mul (int64 $number) (get $units $unit) }}
{{- end }}

{{/* Changes with a text, so that pods are replaced; too short to confirm a guessed secret. */}}
{{- define "scriptorium.checksum" -}}
{{ . | sha256sum | trunc 6 | quote }}
{{- end }}

{{/* Labels of a pod beside those that select it: (dict "root" $ "component" … "values" …). */}}
{{- define "scriptorium.podLabels" -}}
{{ include "scriptorium.selectorLabels" . }}
app.kubernetes.io/part-of: scriptorium
{{- range $labels := list .root.Values.commonLabels .values.podLabels }}
{{- with $labels }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end }}

{{/* A file of the chart. Some tools drop files that they cannot follow; an empty one must not be rendered: (dict "root" $ "name" "alerts.yaml"). */}}
{{- define "scriptorium.file" -}}
{{- $path := printf "files/%s" .name -}}
{{ required (printf "%s: the chart lacks this file; take the chart as it was packaged" $path) (.root.Files.Get $path) }}
{{- end }}
