/** Has the document that the command before signed, `signed.pdf`, verified; for any POSIX shell. `key` as the shell is to see it. */
export function verifyCommand(baseUrl: string, key: string): string {
  return `curl -s -H "Authorization: Bearer ${key}" -F file=@signed.pdf '${baseUrl}/v1/verify'`;
}
