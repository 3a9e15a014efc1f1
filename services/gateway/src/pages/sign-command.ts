/** On a separate line, so that pages show the command without scrolling. */
const SIGNER = '{"name": "Ada Lovelace", "email": "ada@example.com"}';

/** A POSIX shell command that downloads the sample document and writes the signed PDF `signed.pdf`. `key` is inserted unquoted. */
export function signCommand(baseUrl: string, key: string): string {
  return `curl -s -O ${baseUrl}/sample.docx
curl -s -H "Authorization: Bearer ${key}" -H 'Accept: application/pdf' \\
  -F file=@sample.docx --form-string request='{
  "signer": ${SIGNER},
  "auditTrail": [{"type": "submit", "timestamp": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'"}]
}' -o signed.pdf '${baseUrl}/v1/sign?to=pdf'`;
}
