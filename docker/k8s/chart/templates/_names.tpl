{{- define "pgsieve.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "pgsieve" $name) }}{{ $name = printf "%s-pgsieve" $name }}{{ end -}}
{{- .Values.fullnameOverride | default $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "pgsieve.selector" -}}
app.kubernetes.io/name: pgsieve
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pgsieve.labels" -}}
{{ include "pgsieve.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The port at the end of an address of the settings. */}}
{{- define "pgsieve.port" -}}
{{- if not (regexMatch "^[^,/]+:[0-9]+$" .) }}{{ fail (printf "settings: %s: one address ip:port is wanted" .) }}{{ end -}}
{{- regexFind "[0-9]+$" . -}}
{{- end }}

{{/* Seconds of a duration of the settings. */}}
{{- define "pgsieve.seconds" -}}
{{- $units := dict "s" 1 "min" 60 "h" 3600 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- if not (hasKey $units $unit) }}{{ fail (printf "settings.limits: %s: write it in s, min or h" .) }}{{ end -}}
{{- mul (regexFind "^[0-9]+" . | int) (get $units $unit) -}}
{{- end }}

{{/* Helm reads on and off as true and false; pgsieve wants the words, but for what is below client.auth. */}}
{{- define "pgsieve.words" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
{{- if kindIs "bool" $value }}{{ $_ := set $map $key (ternary "on" "off" $value) }}{{ end -}}
{{- if and (kindIs "map" $value) (ne $key "auth") }}{{ include "pgsieve.words" $value }}{{ end -}}
{{- end -}}
{{- end }}
