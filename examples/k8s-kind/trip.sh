#!/usr/bin/env bash
# Converts, signs and verifies the sample document of the service at $SCRIPTORIUM_URL with $SCRIPTORIUM_API_KEY.
set -euo pipefail
cd "$(mktemp -d)"
call() { curl --silent --show-error --fail-with-body -H "Authorization: Bearer $SCRIPTORIUM_API_KEY" "$@"; }

curl --silent --show-error --fail -O "$SCRIPTORIUM_URL/sample.docx"
call -F file=@sample.docx -o sample.pdf "$SCRIPTORIUM_URL/v1/convert?from=docx"
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
request='{"signer": {"name": "You", "email": "you@example.com"}, "auditTrail": [{"type": "submit", "timestamp": "'$now'"}]}'
call -H 'Accept: application/pdf' -F file=@sample.pdf --form-string "request=$request" -o signed.pdf "$SCRIPTORIUM_URL/v1/sign"
call -F file=@signed.pdf --form-string 'request={"trust": {"profile": "service"}}' "$SCRIPTORIUM_URL/v1/verify" | jq -r .verdict
