import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { documentOf, field } from '@scriptorium/testing/fixtures/hostile/document';
import { hostileSources } from '@scriptorium/testing/fixtures/hostile/sources';
import { hostileDocuments } from '@scriptorium/testing/fixtures/hostile/table';
import { odtWith } from '@scriptorium/testing/fixtures/odt';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { excludedIn } from '@scriptorium/testing/judges/excluded';
import { type Deployment, deploy } from './service.ts';

interface Input {
  from: string;
  name: string;
  bytes: Buffer;
}

/** Addresses, each in a form that a reader of the result would follow. */
const ADDRESSES = [
  ...['file:///etc/passwd', 'javascript:alert(1)', 'smb://files.example/x', 'ms-msdt:/id', 'macro:///x'],
  ...['\\\\files.example\\x', 'vnd.sun.star.script:x', 'data:text/html,x', 'annex.txt', '../annex.txt'],
];
const FIELDS = [
  ...[
    'DDEAUTO c "a" "b"',
    'DDE c "a" "b"',
    'INCLUDETEXT "file:///etc/passwd"',
    'INCLUDEPICTURE "http://x.example/"',
  ],
  ...[
    'LINK Word.Document.12 "x" "y"',
    'IMPORT "x"',
    'DATABASE \\d "x"',
    'MACROBUTTON x y',
    'RD "x"',
    'PRINT "x"',
  ],
  ...['FILENAME \\p', 'TEMPLATE \\p', 'HYPERLINK "file:///etc/passwd"', 'HYPERLINK "javascript:x"'],
];
const NOTES = ['HTML: <script>x</script>', '<meta http-equiv="refresh" content="0;url=file:///x">'];
const ACTIONS = [
  'Launch/F(x)',
  'JavaScript/JS(x)',
  'SubmitForm/F(http://x.example/)',
  'ImportData/F(x)',
  'URI/URI(file:///x)',
];

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const linked = (target: string) =>
  documentOf({
    body: '<w:p><w:hyperlink r:id="rId1"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>',
    links: [{ id: 'rId1', kind: 'hyperlink', target, isExternal: true }],
  });
const odtLinked = (href: string) =>
  odtWith({ text: `<text:p><text:a xlink:href="${xml(href)}">x</text:a></text:p>` });
const noted = (note: string) =>
  odtWith({ text: `<text:p>x<office:annotation><text:p>${xml(note)}</text:p></office:annotation></text:p>` });
const rtf = (instruction: string) =>
  Buffer.from(
    `{\\rtf1\\ansi {\\field{\\*\\fldinst ${instruction.replace(/[\\{}]/g, '\\$&')}}{\\fldrslt x}}}`,
  );

function inputs(): Input[] {
  const targets = { origin: 'http://127.0.0.1:9', directory: '/etc' };
  const texts = hostileDocuments(targets)
    .filter(({ expect: answer }) => 'dropped' in answer)
    .map(({ name, make }) => ({ from: 'docx', name, bytes: make() }));
  const sheets = hostileSources(targets)
    .filter(({ expect: answer }) => 'dropped' in answer)
    .map(({ from, name, make }) => ({ from, name, bytes: make() }));
  const each = (from: string, words: readonly string[], make: (word: string) => Buffer) =>
    words.map((name) => ({ from, name, bytes: make(name) }));
  return [
    ...each('docx', ADDRESSES, linked),
    ...each('odt', ADDRESSES, odtLinked),
    ...each('html', ADDRESSES, (href) =>
      Buffer.from(`<p><a href="${xml(href)}">x</a><img src="${xml(href)}"></p>`),
    ),
    ...each('md', ADDRESSES, (href) => Buffer.from(`[x](<${href}>) ![y](<${href}>)`)),
    ...each('docx', FIELDS, (instruction) => documentOf({ body: field(instruction) })),
    ...each('rtf', FIELDS, rtf),
    ...each('odt', NOTES, noted),
    ...each('pdf', ACTIONS, (action) =>
      classicPdf(onePage(`/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/${action}>>>>]`)),
    ),
    ...texts,
    ...sheets,
  ];
}

let service: Deployment;
let key: string;
beforeAll(async () => {
  service = await deploy({
    annotators: 1,
    signers: 1,
    verifiers: 1,
    settings: { KEY_REQUESTS_PER_MINUTE_MAX: '100000' },
  });
  key = await service.register();
});
afterAll(() => service.close());

const inBase64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') });
const TEMPLATE = templateOf(p(run('Before')) + p(run('{annex}')));
const SHEETS = new Set(['xlsx', 'ods', 'pptx', 'odp']);

/** The calls by which an input gets into a result. */
function callsWith({
  from,
  bytes,
}: Input): (readonly [operation: string, path: string, body: object | string])[] {
  const document = inBase64(bytes);
  const targets = SHEETS.has(from) ? ['pdf', 'png'] : ['pdf', 'docx', 'odt', 'html', 'txt', 'png'];
  const merges = ['docx', 'pdf'].includes(from);
  const convert = targets.map(
    (to) => ['convert', `/v1/convert?from=${from}&to=${to}`, { document }] as const,
  );
  const all = ['convert', '/v1/convert?from=docx&to=pdf&updateFields=all', { document }] as const;
  const documents = [inBase64(from === 'pdf' ? classicPdf(onePage()) : TEMPLATE), document];
  const merge = ['docx', 'pdf']
    .filter((to) => to === 'pdf' || from === 'docx')
    .map((to) => ['merge', `/v1/merge?to=${to}`, { documents }] as const);
  if (from !== 'docx') return [...(from === 'pdf' ? [] : convert), ...(merges ? merge : [])];
  const data = { annex: { $document: document } };
  const rows = [{ document }, { data: {} }, { data: {} }].map((line) => JSON.stringify(line)).join('\n');
  return [
    ...convert,
    all,
    ...merge,
    ...['docx', 'pdf'].flatMap((to) => [
      ['annotate', `/v1/annotate?to=${to}`, { document, fields: [] }] as const,
      ['generate', `/v1/generate?to=${to}`, { document, data: {} }] as const,
      ['insert', `/v1/generate?to=${to}`, { document: inBase64(TEMPLATE), data }] as const,
      ['batch', `/v1/batches?to=${to}`, rows] as const,
    ]),
  ];
}

/** The results of a call; none if it was refused. */
async function resultsOf(path: string, body: object | string): Promise<Buffer[]> {
  const isRows = typeof body === 'string';
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': isRows ? 'application/x-ndjson' : 'application/json',
      accept: isRows ? 'application/x-ndjson' : 'application/json, */*;q=0.5',
    },
    body: isRows ? body : JSON.stringify(body),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status >= 500 && answer.status !== 504) throw new Error(`${path}: ${answer.status} ${bytes}`);
  if (answer.status !== 200) return [];
  if (!answer.headers.get('content-type')?.includes('json')) return [bytes];
  const found = bytes.toString().matchAll(/"base64":"(?:data:[^,"]*,)?([A-Za-z0-9+/=]*)"/g);
  return [...found].map(([, base64 = '']) => Buffer.from(base64, 'base64'));
}

test('no result of any operation has an excluded link, field, script or path', async () => {
  const counts: Record<string, { calls: number; results: number; excluded: number }> = {};
  const excluded: string[] = [];
  const documents = inputs();
  for (const input of documents)
    for (const [operation, path, body] of callsWith(input)) {
      const results = await resultsOf(path, body);
      const found = (await Promise.all(results.map(excludedIn))).flat();
      const count = counts[operation] ?? { calls: 0, results: 0, excluded: 0 };
      counts[operation] = count;
      count.calls++;
      count.results += results.length;
      count.excluded += found.length;
      for (const what of found) excluded.push(`${input.from} ${input.name}, ${path}: ${what}`);
    }
  process.stdout.write(`${documents.length} inputs: ${JSON.stringify(counts)}\n`);
  expect(Object.values(counts).every(({ results }) => results > 0)).toBe(true);
  expect(excluded).toEqual([]);
}, 3_600_000);
