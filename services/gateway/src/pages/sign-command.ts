/** On a separate line, so that pages show the command without scrolling. */
const SIGNER = '{"name": "Ada Lovelace", "email": "ada@example.com"}';

/** A POSIX shell command that downloads the sample document and writes the signed PDF `signed.pdf`. `key` is inserted unquoted. */
export function signCommand(baseUrl: string, key: string): string {
  return `curl -s -O ${baseUrl}/sample.docx
printf '{"document": {"base64": "%s"},
  "signer": ${SIGNER},
  "auditTrail": [{"type": "submit", "timestamp": "%s"}]}' \\
  "$(base64 < sample.docx | tr -d '\\n')" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" |
  curl -s -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' --data-binary @- \\
    '${baseUrl}/v1/sign?to=pdf' | sed 's/.*base64,//; s/".*//' | base64 -d > signed.pdf`;
}
