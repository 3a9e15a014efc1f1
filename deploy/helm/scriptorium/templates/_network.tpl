{{/* Ports of a rule: (dict "ports" (list 53) "protocols" (list "UDP" "TCP")). */}}
{{- define "scriptorium.ports" -}}
{{- range $protocol := .protocols | default (list "TCP") }}
{{- range $.ports }}
- protocol: {{ $protocol }}
  port: {{ if kindIs "string" . }}{{ . }}{{ else }}{{ int64 . }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* One rule of egress; without `to`, it allows any destination on these ports. */}}
{{- define "scriptorium.egressRule" -}}
- ports:
    {{- include "scriptorium.ports" . | trim | nindent 4 }}
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The head of a policy, up to its rules: (dict "root" $ "purpose" "dns" "components" (list …) "type" "Egress"). */}}
{{- define "scriptorium.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "scriptorium.metadata" (dict "root" .root "component" "network" "name" (printf "%s-%s" (include "scriptorium.fullname" .root) .purpose)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "scriptorium.releaseLabels" .root | nindent 6 }}
    {{- with .components }}
    matchExpressions:
      - key: app.kubernetes.io/component
        operator: In
        values: {{ toJson . }}
    {{- end }}
  policyTypes: {{ toJson .types }}
{{- end }}

{{/*
To the public internet. IPv4: everything except special-purpose addresses (RFC 6890), Azure's WireServer, which gives out
credentials at a public address, and the operator's own exceptions. IPv6: only global unicast (2000::/3, RFC 4291).
*/}}
{{- define "scriptorium.fetchRule" -}}
{{- $private := list "0.0.0.0/8" "10.0.0.0/8" "100.64.0.0/10" "127.0.0.0/8" "168.63.129.16/32" "169.254.0.0/16" "172.16.0.0/12" "192.0.0.0/24" "192.168.0.0/16" "198.18.0.0/15" "224.0.0.0/4" "240.0.0.0/4" -}}
{{- $own4 := list -}}
{{- $own6 := list -}}
{{- range .Values.networkPolicy.fetch.except -}}
  {{- if contains ":" . }}{{ $own6 = append $own6 . }}{{ else }}{{ $own4 = append $own4 . }}{{ end -}}
{{- end -}}
- ports:
    {{- include "scriptorium.ports" (dict "ports" .Values.networkPolicy.fetch.ports) | trim | nindent 4 }}
  to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except: {{ concat $private $own4 | toJson }}
    - ipBlock:
        cidr: 2000::/3
        {{- with $own6 }}
        except: {{ toJson . }}
        {{- end }}
{{- end }}
