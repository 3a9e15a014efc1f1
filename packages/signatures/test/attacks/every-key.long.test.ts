import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Dict, isName, type PdfObject, Ref, Stream } from '@scriptorium/pdf/read';
import { editDict, Update } from '@scriptorium/pdf/update';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies } from '@scriptorium/testing/fixtures/pdf/documents';
import { officePdf } from '@scriptorium/testing/office';
import { readPdf } from '../../src/pades/read-pdf.ts';
import { judgedOrRefused } from './judged.ts';
import { type Lab, openLab } from './lab.ts';
import { lookedPdf } from './pdf/documents.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

interface Change {
  name: string;
  value: string | Buffer;
}

/** Lists the possible changes of an object, one at a time. */
function changesOf({ value, source, start, end }: PdfObject): Change[] {
  const text = source.toString('latin1', start, end);
  if (value instanceof Stream) {
    const { dict, data } = value;
    const other = Buffer.from(data);
    if (other.length > 0) other[other.length >> 1] = (other[other.length >> 1] ?? 0) ^ 1;
    const withData = (keys: string, bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${keys}\nstream\n`, 'latin1'), bytes, Buffer.from('\nendstream')]);
    const keys = source.toString('latin1', dict.start, dict.end);
    return [
      ...(other.equals(data) ? [] : [{ name: 'data', value: withData(keys, other) }]),
      ...changesOfDict(dict).map((change) => ({ ...change, value: withData(`${change.value}`, data) })),
    ];
  }
  if (value instanceof Dict) return changesOfDict(value);
  if (Array.isArray(value)) return [{ name: 'items', value: `[null ${text.slice(1)}` }];
  return [{ name: 'value', value: typeof value === 'number' ? String(value + 1) : '(other)' }];
}

function changesOfDict(dict: Dict): Change[] {
  return [...dict.entries].flatMap(([key, { value }]) => [
    ...(value === null ? [] : [{ name: `/${key} is removed`, value: editDict(dict, { [key]: undefined }) }]),
    {
      name: `/${key} is changed`,
      value: editDict(dict, { [key]: typeof value === 'number' ? `${value + 1}` : '(other)' }),
    },
  ]);
}

/** Whether an object only forms the file structure or describes the document: metadata may be added anywhere. */
function isNeutral({ value }: PdfObject): boolean {
  const type = value instanceof Stream ? value.dict.get('Type') : null;
  const isInfo = value instanceof Dict && value.entries.has('Producer');
  return isInfo || isName(type, 'XRef') || isName(type, 'Metadata');
}

/** Keys that no reader needs. */
const isMinor = (name: string): boolean => /^\/(Type|Length) is/.test(name);

async function passedAfterChange(pdf: Buffer): Promise<string[]> {
  const { document } = readPdf(pdf);
  const passed: string[] = [];
  for (let num = 1; num <= document.xref.numMax; num++) {
    const entry = document.xref.find(num);
    if (!entry || entry.kind === 'free') continue;
    const object = document.object(new Ref(num, entry.kind === 'plain' ? entry.gen : 0));
    if (!object || isNeutral(object)) continue;
    for (const { name, value } of changesOf(object)) {
      const update = new Update(document);
      update.replace(new Ref(num, object.gen), value);
      const reply = await judgedOrRefused(lab, update.finish().bytes);
      if (reply?.valid && !isMinor(name)) passed.push(`object ${num}: ${name}`);
    }
  }
  return passed;
}

const KINDS: [string, () => Buffer | Promise<Buffer>, string[]][] = [
  ['with a form', () => lookedPdf(), []],
  [
    'with a form in object streams',
    () => xrefStreamPdf(formBodies()),
    ['object 6: /V is removed', 'object 6: /V is changed'],
  ],
  ['of LibreOffice', () => officePdf(docxWith(['Agreement'])), []],
];
/** Only against a hang. */
const MS_MAX = 600_000;

describe.each(KINDS)('a document %s with any key of any object changed', (_, make, values) => {
  test(
    'is no longer valid if it permits no changes',
    async () => {
      const pdf = await lab.sign(await make(), { certify: 'noChanges' });
      expect(await passedAfterChange(pdf)).toEqual([]);
    },
    MS_MAX,
  );

  test(
    'is no longer valid if it is signed, except for the value of its field',
    async () => {
      expect(await passedAfterChange(await lab.sign(await make()))).toEqual(values);
    },
    MS_MAX,
  );
});
