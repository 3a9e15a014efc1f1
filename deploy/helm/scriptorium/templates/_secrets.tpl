{{/*
The secret from which a created Secret derives the others. Without a value it is drawn once, and upgrades read it from
the cluster; `set` gives it to all templates of one rendering.
*/}}
{{- define "scriptorium.codePepper" -}}
{{- $values := .Values.secrets.values -}}
{{- if not $values.codePepper -}}
  {{- $stored := lookup "v1" "Secret" .Release.Namespace (include "scriptorium.secretName" .) -}}
  {{- $kept := dig "data" .Values.secrets.keys.codePepper "" $stored | b64dec -}}
  {{- $_ := set $values "codePepper" ($kept | default (randAlphaNum 48)) -}}
{{- end -}}
{{ $values.codePepper }}
{{- end }}

{{/* 64 hexadecimal digits: (dict "root" $ "name" "converterJobSecret"). */}}
{{- define "scriptorium.derivedSecret" -}}
{{ printf "%s %s" (include "scriptorium.codePepper" .root) .name | sha256sum }}
{{- end }}

{{/* The values of a created Secret, by their names in `secrets.values`; empty ones have no default. */}}
{{- define "scriptorium.secretValues" -}}
{{- $values := deepCopy .Values.secrets.values -}}
{{- $_ := set $values "codePepper" (include "scriptorium.codePepper" .) -}}
{{- range $name := list "signerSecret" "verifierSecret" -}}
  {{- if not (get $values $name) }}{{ $_ := set $values $name (include "scriptorium.derivedSecret" (dict "root" $ "name" $name)) }}{{ end -}}
{{- end -}}
{{- $fullname := include "scriptorium.fullname" . -}}
{{- if and .Values.trial.database.enabled (not $values.databaseUrl) -}}
  {{- $password := include "scriptorium.derivedSecret" (dict "root" . "name" "trialDatabasePassword") -}}
  {{- $_ := set $values "databaseUrl" (printf "postgres://scriptorium:%s@%s-trial-database:5432/scriptorium" $password $fullname) -}}
{{- end -}}
{{- if and .Values.trial.mail.enabled (not $values.smtpUrl) -}}
  {{- $_ := set $values "smtpUrl" (printf "smtp://%s-trial-mail:1025" $fullname) -}}
{{- end -}}
{{ toJson $values }}
{{- end }}
