#!/usr/bin/env bash
# Converts each DOCX of the folder DOCUMENTS into the folder OUT. One that fails stops no other.
set -uo pipefail
shopt -s globstar nullglob

# curl waits as long as Retry-After says. The key comes by standard input, so that no list of processes has it.
send() {
  printf 'header = "Authorization: Bearer %s"\n' "$SCRIPTORIUM_API_KEY" |
    curl --silent --show-error --config - --retry 3 --retry-max-time 300 --output "$3" --write-out '%{http_code}' \
      --form "file=@\"${1//\"/\\\"}\"" "$SCRIPTORIUM_URL/v1/convert?from=docx&to=$2"
}

# Commands of a workflow end at a line end (docs.github.com, workflow commands).
escaped() { local text=${1//'%'/%25}; text=${text//$'\r'/%0D}; printf '%s' "${text//$'\n'/%0A}"; }
property() { local text; text=$(escaped "$1"); text=${text//:/%3A}; printf '%s' "${text//,/%2C}"; }

answer=$(mktemp)
trap 'rm -f "$answer"' EXIT
count=0 failed=0
for document in "${DOCUMENTS%/}"/**/*.docx; do
  result="$OUT/${document#"${DOCUMENTS%/}"/}"
  result="${result%.docx}.$TO"
  status=$(send "$document" "$TO" "$answer")
  if [[ $status == 200 ]]; then
    mkdir -p "$(dirname "$result")"
    mv "$answer" "$result"
    count=$((count + 1))
  else
    why=$(jq -r '"\(.code): \(.message) (\(.requestId))"' "$answer" 2>/dev/null || echo "HTTP $status")
    echo "::error file=$(property "$document")::$(escaped "$why")"
    failed=$((failed + 1))
  fi
done
echo "$count converted, $failed failed"
echo "count=$count" >> "${GITHUB_OUTPUT:-/dev/null}"
((failed == 0))
