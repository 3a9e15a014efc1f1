/** Values for the fields of the sample template, as in a request. */
export const SAMPLE_FIELDS = [
  { id: 'customer_name', value: 'Ada Lovelace' },
  { id: 'order_number', value: 1842 },
  {
    id: 'items',
    value: [
      ['Difference engine', '1', '17,470'],
      ['Punched cards', '400', '32'],
    ],
  },
  { id: 'total', value: '17,502' },
];

/** A POSIX shell command that downloads the sample template, fills it and writes `filled.pdf`. `key` is inserted unquoted. */
export function fillCommand(baseUrl: string, key: string): string {
  return `curl -s -O ${baseUrl}/sample-template.docx
printf '{"document": {"base64": "%s"}, "fields": [
  ${SAMPLE_FIELDS.map((field) => JSON.stringify(field)).join(',\n  ')}
]}' "$(base64 < sample-template.docx | tr -d '\\n')" |
  curl -s -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' --data-binary @- \\
    '${baseUrl}/v1/annotate?to=pdf' | sed 's/.*base64,//; s/".*//' | base64 -d > filled.pdf`;
}
