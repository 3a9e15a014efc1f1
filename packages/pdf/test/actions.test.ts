import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { findActions, mayAct, type VetLink, vetActions } from '../src/face/actions.ts';
import { countPages, openPdf } from '../src/face/read.ts';

/** A file with a table of objects: a page with these entries, and further objects from number 4 on. */
function pdfWith({ catalog = '', page = '', objects = [] as string[] }): Buffer {
  const all = [
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R${page}>>`,
    ...objects,
  ];
  let body = '%PDF-1.7\n';
  const offsets = all.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<</Size ${all.length + 1}/Root 1 0 R>>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + table + trailer, 'latin1');
}

const linkTo = (uri: string) => `<</Subtype/Link/A<</Type/Action/S/URI/URI ${uri}>>/Rect[0 0 1 1]>>`;
const webOnly: VetLink = (address) => (address.startsWith('https:') ? address : undefined);

function vetted(pdf: Buffer, vetLink = webOnly) {
  const { bytes, removed } = vetActions(pdf, vetLink);
  expect(bytes.length).toBe(pdf.length);
  expect(countPages(openPdf(bytes).document)).toBe(1);
  // Nothing more is found, and another reader finds the same objects.
  expect(vetActions(bytes, vetLink).removed).toEqual([]);
  expect(openPdf(bytes).isSearched).toBe(false);
  return { text: bytes.toString('latin1'), removed };
}

describe('a PDF', () => {
  test('without links and actions is not read, and stays as it is', () => {
    const pdf = pdfWith({ page: '/Annots[4 0 R]', objects: ['<</Subtype/Link/Dest[3 0 R/Fit]>>'] });
    expect(mayAct(pdf)).toBe(false);
    expect(vetActions(pdf, webOnly).bytes).toBe(pdf);
  });

  test.each([
    '(file:///etc/hostname)',
    '<66696C653A2F2F2F78>',
    '(java\\163cript:alert\\(1\\))',
    '(smb://files.example/x)',
    '7 0 R',
  ])('loses a link to %s', (uri) => {
    const pdf = pdfWith({ objects: [linkTo(uri), linkTo('(https://example.org/)'), linkTo(uri), '(x)'] });
    const { text, removed } = vetted(pdf);
    expect(removed.map(({ what }) => what)).toEqual(['link', 'link']);
    expect(text).toContain('(https://example.org/)');
    expect(text).toMatch(uri === '7 0 R' ? /\/URI {2}null/ : /\/A null/);
  });

  test('keeps a link that gets another address', () => {
    const pdf = pdfWith({ objects: [linkTo('(file:///dev/shm/job/a\\(1\\).txt)')] });
    const { text, removed } = vetted(pdf, (address) => address.replace('file:///dev/shm/job/', ''));
    expect(removed).toEqual([]);
    expect(text).toMatch(/\/URI \(a\\\(1\\\)\.txt\) +>>/);
  });

  test.each([
    ['/OpenAction<</S/Launch/F(calc.exe)>>', 'Launch'],
    ['/OpenAction<</S/JavaScript/JS(app.alert(1))>>', 'JavaScript'],
    ['/OpenAction<</S/J#61vaScript/JS(app.alert(1))>>', 'JavaScript'],
    ['/OpenAction<</S/GoToR/F(\\\\\\\\server\\\\x.pdf)/D[0/Fit]>>', 'GoToR'],
    ['/OpenAction<</S/Thread/F(\\\\\\\\server\\\\x.pdf)/D 0>>', 'Thread'],
    ['/AA<</WC<</S/SubmitForm/F<</FS/URL/F(http://x)>>>>>>', 'SubmitForm'],
    ['/Names<</JavaScript 4 0 R>>', 'JavaScript'],
    ['/OpenAction<</S/GoTo/D[3 0 R/Fit]/Next[<</S/ImportData/F(x)>>]>>', 'ImportData'],
    ['/URI<</Base(file:///etc/)>>', undefined],
  ])('loses what %s starts', (catalog, type) => {
    const { text, removed } = vetted(pdfWith({ catalog, objects: ['<</Names[]>>'] }));
    expect(removed).toEqual([
      type === undefined ? { what: 'link', detail: 'file:///etc/' } : { what: 'action', detail: type },
    ]);
    expect(text).not.toMatch(/calc|alert|server|URL|file:/);
  });

  test('names the base of all links', () => {
    const { document } = openPdf(pdfWith({ catalog: '/URI<</Base(/etc/)>>' }));
    expect(findActions(document, (address) => address !== '/etc/')).toEqual([
      { what: 'link', detail: '/etc/' },
    ]);
  });

  test('keeps scripts that format a field, and no others', () => {
    const script = (js: string) => pdfWith({ objects: [`<</AA<</F<</S/JavaScript/JS(${js})>>>>>>`] });
    for (const js of ['AFDate_FormatEx\\("yy-mm-dd"\\);', 'AFNumber_Keystroke\\(2, 0, 0, 0, "", true\\)'])
      expect(vetted(script(js)).removed).toEqual([]);
    for (const js of [
      'AFDate_FormatEx\\(app.alert`1`\\);',
      'AFTime_Format\\(0\\);x\\(\\)',
      'AFTime_Format\\(x\\)',
    ])
      expect(vetted(script(js)).removed).toHaveLength(1);
  });

  test('keeps an element of its structure whose type is named like an action', () => {
    const pdf = pdfWith({ objects: ['<</Type/StructElem/S/Sound/P 1 0 R/Pg 3 0 R/K 0>>'] });
    expect(vetted(pdf).removed).toEqual([]);
    for (const action of [
      '/S/Launch/F(x)',
      '/S/Sound/Sound 1 0 R',
      '/S/GoToE/T<</R/C/N(x)>>',
      '/S/Rendition/OP 0',
      '/S/Rendition/R<<>>',
      '/S/RichMediaExecute/CMD<<>>',
      '/Type/Action/S/Movie/Operation/Play',
    ])
      expect(vetted(pdfWith({ objects: [`<<${action}/P 1 0 R>>`] })).removed).toHaveLength(1);
  });

  test('keeps the data of streams', () => {
    const data = linkTo('(file:///x)');
    const pdf = pdfWith({ objects: [`<</Length ${data.length}>>\nstream\n${data}\nendstream`] });
    expect(vetted(pdf).removed).toEqual([]);
    expect(vetActions(pdf, webOnly).bytes).toBe(pdf);
  });

  test.each([
    ['an action whose type is elsewhere', pdfWith({ objects: ['/Launch', '<</S 4 0 R/F(x)>>'] })],
    ['two types of an action', pdfWith({ objects: ['<</S/URI/S/Launch/URI(https://x)/F(x)>>'] })],
    ['two revisions', Buffer.from(`${pdfWith({})}${pdfWith({ objects: [linkTo('(x)')] })}`)],
    ['no table', Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog/URI<<>>>>endobj')],
  ])('with %s is refused', (_, pdf) => {
    expect(() => vetActions(pdf, webOnly)).toThrow(expect.objectContaining({ code: 'INVALID_FILE_FORMAT' }));
  });

  test('with many links takes a time that grows with them', () => {
    const startedAt = process.cpuUsage();
    const objects = Array.from({ length: 100_000 }, (_, at) =>
      linkTo(`(${at % 2 ? 'file' : 'https'}://x/${at})`),
    );
    expect(vetActions(pdfWith({ objects }), webOnly).removed).toHaveLength(50_000);
    expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
  });
});
