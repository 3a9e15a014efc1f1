import { type FieldValueInput, fieldValues } from '@scriptorium/docx-template/fields';
import { openTemplate } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { openPackage } from '@scriptorium/ooxml/package';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { wordPart } from '@scriptorium/testing/fixtures/word-markup';
import type { Generation } from '../../src/generation.ts';
import { type TemplateRow, TemplateRows } from '../../src/rows/template-rows.ts';

const DEFAULTS: Generation = { timeZone: 'UTC', onMissing: 'empty', onUnused: 'report', syntax: 'auto' };
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

export const placeText = (at: number): string => `\u{F5C0}${at}\u{F5C1}`;

export async function rowsOf(source: Buffer, options: Partial<Generation> = {}): Promise<TemplateRows> {
  return new TemplateRows(await openTemplate(source), { ...DEFAULTS, ...options }, placeText);
}

export const dataRow = (data: Json): TemplateRow => ({ data, images: Buffer.alloc(0) });

export function fieldsRow(fields: readonly FieldValueInput[]): TemplateRow {
  return { fields: fieldValues.parse(fields), images: Buffer.alloc(0) };
}

/** The parts of a document as text, and the texts at the places of a form in them. */
export async function partsOf(bytes: Buffer, values: readonly string[] = []): Promise<Map<string, unknown>> {
  const { parts } = await openPackage(bytes);
  const filled = (xml: string) =>
    xml.replace(/\u{F5C0}(\d+)\u{F5C1}/gu, (_, at) => lined(values[at] ?? 'no value'));
  return new Map(
    [...parts].map(([key, { xml, bytes: own, contentType, relationships }]) => [
      key,
      {
        text: xml === undefined ? own.toString('base64') : filled(xml),
        contentType,
        list: relationships.list,
      },
    ]),
  );
}

const lined = (text: string): string =>
  text.split('\n').map(escapeXml).join('</w:t><w:br/><w:t xml:space="preserve">');

/** The header and footer of a template, for `templateOf`. */
export function around(header: string, footer = '') {
  const part = (kind: 'header' | 'footer', content: string) => ({
    name: `word/${kind}1.xml`,
    data: wordPart(kind === 'header' ? 'hdr' : 'ftr', content),
    type: `${WORD}.${kind}+xml`,
  });
  return {
    links: [
      { id: 'rIdHeader', kind: 'header', target: 'header1.xml' },
      { id: 'rIdFooter', kind: 'footer', target: 'footer1.xml' },
    ],
    parts: [part('header', header), part('footer', footer)],
  };
}

/** The form of a row, and its texts. Undefined if it needs a document of its own. */
export async function formOf(
  rows: TemplateRows,
  row: TemplateRow,
): Promise<{ bytes: Buffer; texts: string[]; report: object } | undefined> {
  const placed = await rows.placed(row);
  const form = placed && (await rows.form([row], [placed.shape]));
  if (placed === undefined || form === undefined || typeof form === 'string') return undefined;
  const [own] = form.rows;
  if (own === undefined || typeof own === 'string') return undefined;
  const texts = own.texts.map((text) => text ?? 'in a piece that the row lacks');
  return { bytes: form.bytes, texts, report: placed.report };
}

/** The texts that a row puts into its places, in order. */
export async function textsOf(rows: TemplateRows, row: TemplateRow): Promise<string[] | undefined> {
  return (await rows.placed(row))?.shape.flatMap(([, , texts]) => texts);
}
