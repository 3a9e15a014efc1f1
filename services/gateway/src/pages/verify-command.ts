/** A POSIX shell command that verifies `signed.pdf`, the result of `signCommand`. `key` is inserted unquoted. */
export function verifyCommand(baseUrl: string, key: string): string {
  return `curl -s -H "Authorization: Bearer ${key}" -F file=@signed.pdf '${baseUrl}/v1/verify'`;
}
