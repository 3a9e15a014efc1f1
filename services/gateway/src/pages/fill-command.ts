/** Values for the fields of the sample template, as in a request. */
export const SAMPLE_FIELDS = [
  { id: 'customer_name', type: 'text', value: 'Ada Lovelace' },
  { id: 'order_number', type: 'text', value: 1842 },
  {
    id: 'items',
    type: 'table',
    value: [
      ['Difference engine', '1', '17,470'],
      ['Punched cards', '400', '32'],
    ],
  },
  { id: 'total', type: 'text', value: '17,502' },
];

/** A POSIX shell command that downloads the sample template, fills it and writes `filled.pdf`. `key` is inserted unquoted. */
export function fillCommand(baseUrl: string, key: string): string {
  return `curl -s -O ${baseUrl}/sample-template.docx
curl -s -H "Authorization: Bearer ${key}" -H 'Accept: application/pdf' \\
  -F file=@sample-template.docx --form-string request='{"fields": [
  ${SAMPLE_FIELDS.map((field) => JSON.stringify(field)).join(',\n  ')}
]}' -o filled.pdf '${baseUrl}/v1/annotate?to=pdf'`;
}
