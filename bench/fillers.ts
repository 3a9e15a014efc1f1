import { annotate, TemplateCache } from '@scriptorium/docx-template/annotate';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { createReport } from 'docx-templates';
import Docxtemplater from 'docxtemplater';
import { MimeType, TemplateHandler } from 'easy-template-x';
import PizZip from 'pizzip';
import { control, row } from './letters.ts';

/** The values for a template. */
export interface Values {
  texts?: Readonly<Record<string, string>>;
  table?: { columns: readonly string[]; rows: readonly (readonly string[])[] };
  /** PNG files. */
  images?: Readonly<Record<string, Buffer>>;
}

/** One way to fill templates: its markup of fields, and the filling. */
export interface Filler {
  name: string;
  text(name: string): string;
  /** Table rows for each record; undefined if the filler has none. */
  rows?(columns: readonly string[]): string;
  image?(name: string): string;
  fill(template: Buffer, values: Values): Promise<Uint8Array>;
}

const IMAGE_PX = { width: 150, height: 150 };
const CACHE_BYTES_MAX = 1e9;
const TEXT_OPTIONS = { keepTextNodeStyles: true };
const TABLE_OPTIONS = { copyRowStyle: true };
const IMAGE_OPTIONS = { dimensions: IMAGE_PX };

export const braces = (name: string) => `{${name}}`;
/** A loop that begins in the row's first cell and ends in its last one. */
const loopRow = (columns: readonly string[]) =>
  row(
    columns.map((column, index) => {
      const end = index === columns.length - 1 ? '{/records}' : '';
      return `${index === 0 ? '{#records}' : ''}{${column}}${end}`;
    }),
  );

function recordsOf({ table }: Values): Record<string, string>[] {
  const { columns, rows } = table ?? { columns: [], rows: [] };
  return rows.map((cells) =>
    Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
  );
}

function fieldValuesOf({ texts = {}, table, images = {} }: Values): { fields: FieldValue[]; images: Buffer } {
  const fields: FieldValue[] = Object.entries(texts).map(([id, value]) => ({
    id,
    type: 'text',
    value,
    options: TEXT_OPTIONS,
  }));
  if (table !== undefined)
    fields.push({
      id: 'records',
      type: 'table',
      value: table.rows.map((cells) => [...cells]),
      options: TABLE_OPTIONS,
    });
  let start = 0;
  for (const [id, { length }] of Object.entries(images)) {
    const value = { start, bytes: length };
    fields.push({ id, type: 'image', value, options: IMAGE_OPTIONS });
    start += length;
  }
  return { fields, images: Buffer.concat(Object.values(images)) };
}

/** Replaces text within a run. */
export const inControl = (name: string) =>
  `</w:t></w:r>${control(name, `<w:r><w:rPr><w:b/></w:rPr><w:t>${name}</w:t></w:r>`)}<w:r><w:t xml:space="preserve">`;

/** This service's own core, as its threads call it; without a cache each template is new to it. */
export function ours(name: string, isWarm: boolean, text: Filler['text']): Filler {
  const cache = new TemplateCache(isWarm ? CACHE_BYTES_MAX : 0);
  return {
    name,
    text,
    rows: (columns) => control('records', row(columns)),
    image: braces,
    async fill(template, values) {
      const options = { onMissing: 'error', flatten: false } as const;
      return (await annotate({ source: template, ...fieldValuesOf(values), options }, cache)).bytes;
    },
  };
}

export const docxtemplater: Filler = {
  name: 'docxtemplater',
  text: braces,
  rows: loopRow,
  async fill(template, values) {
    const document = new Docxtemplater(new PizZip(template), { linebreaks: true });
    document.render({ ...values.texts, records: recordsOf(values) });
    return document.toBuffer();
  },
};

export const easyTemplateX: Filler = {
  name: 'easy-template-x',
  text: braces,
  rows: loopRow,
  image: braces,
  async fill(template, values) {
    const images = Object.entries(values.images ?? {}).map(([name, source]) => [
      name,
      { _type: 'image', source, format: MimeType.Png, ...IMAGE_PX },
    ]);
    const data = { ...values.texts, records: recordsOf(values), ...Object.fromEntries(images) };
    return await new TemplateHandler().process(template, data);
  },
};

/** With its sandbox off, which is its faster mode. */
export const docxTemplates: Filler = {
  name: 'docx-templates',
  text: braces,
  rows: (columns) =>
    row(columns.map((_, index) => (index === 0 ? '{FOR record IN records}' : ''))) +
    row(columns.map((column) => `{$record.${column}}`)) +
    row(columns.map((_, index) => (index === 0 ? '{END-FOR record}' : ''))),
  image: (name) => `{IMAGE ${name}()}`,
  async fill(template, values) {
    // Centimeters at 96 pixels per inch.
    const [width, height] = [(IMAGE_PX.width / 96) * 2.54, (IMAGE_PX.height / 96) * 2.54];
    const images = Object.entries(values.images ?? {}).map(([name, data]) => [
      name,
      () => ({ width, height, data, extension: '.png' }),
    ]);
    return await createReport({
      template,
      data: { ...values.texts, records: recordsOf(values) },
      additionalJsContext: Object.fromEntries(images),
      cmdDelimiter: ['{', '}'],
      noSandbox: true,
    });
  },
};
