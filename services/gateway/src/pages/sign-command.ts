/** On a line of its own, so that a document can show the command without scrolling. */
const SIGNER = '{"name": "Ada Lovelace", "email": "ada@example.com"}';

/** Fetches the sample document and writes its signed PDF, `signed.pdf`; for any POSIX shell. `key` as the shell is to see it. */
export function signCommand(baseUrl: string, key: string): string {
  return `curl -s -O ${baseUrl}/sample.docx
printf '{"document": {"base64": "%s"},
  "signer": ${SIGNER},
  "auditTrail": [{"type": "submit", "timestamp": "%s"}]}' \\
  "$(base64 < sample.docx | tr -d '\\n')" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" |
  curl -s -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' --data-binary @- \\
    '${baseUrl}/v1/sign?to=pdf' | sed 's/.*base64,//; s/".*//' | base64 -d > signed.pdf`;
}
