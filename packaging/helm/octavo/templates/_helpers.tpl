{{- define "octavo.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "octavo.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "octavo.labels" -}}
{{ include "octavo.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "octavo.claim" -}}
{{- .Values.persistence.existingClaim | default (include "octavo.name" .) -}}
{{- end -}}

{{- /* Not empty where the data folder holds nothing that lasts. */ -}}
{{- define "octavo.isStateless" -}}
{{- if and .Values.database.existingSecret .Values.storage -}}true{{- end -}}
{{- end -}}

{{- /* Combinations of values that would start and then lose work. */ -}}
{{- define "octavo.checkValues" -}}
{{- if not .Values.image.repository -}}
{{- fail "Set image.repository to where you pushed the image that the Containerfile builds." -}}
{{- end -}}
{{- if and .Values.database.existingSecret (not .Values.secret.existingSecret) -}}
{{- fail "database.existingSecret is set, so secret.existingSecret must be too: every pod needs the same secret." -}}
{{- end -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- if not .Values.database.existingSecret -}}
{{- fail "More than one replica needs database.existingSecret: one process at a time uses the embedded database." -}}
{{- end -}}
{{- if and (not .Values.storage) (not .Values.persistence.existingClaim) (ne .Values.persistence.accessMode "ReadWriteMany") -}}
{{- fail "More than one replica needs storage, a bucket, or persistence.accessMode ReadWriteMany: all pods share what is stored." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.enabled is set, so ingress.host must be too." -}}
{{- end -}}
{{- end -}}
