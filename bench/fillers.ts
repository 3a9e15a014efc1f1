import { generate } from '@scriptorium/docx-generate/generate';
import { annotate } from '@scriptorium/docx-template/annotate';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { TemplateCache } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { createReport } from 'docx-templates';
import Docxtemplater from 'docxtemplater';
import { MimeType, TemplateHandler } from 'easy-template-x';
import PizZip from 'pizzip';
import { control, paragraph, row, run, table } from './letters.ts';

/** The values for a template. */
export interface Values {
  texts?: Readonly<Record<string, string>>;
  table?: { columns: readonly string[]; rows: readonly (readonly string[])[] };
  /** Records inside records: a table for each group. */
  groups?: { columns: readonly string[]; groups: readonly Group[] };
  /** PNG files. */
  images?: Readonly<Record<string, Buffer>>;
}

/** One way to fill templates: its markup of fields, and the filling. */
export interface Filler {
  name: string;
  text(name: string): string;
  /** Table rows for each record; undefined if the filler has none. */
  rows?(columns: readonly string[]): string;
  /** Paragraphs and a table for each group. */
  nested?(columns: readonly string[]): string[];
  image?(name: string): string;
  fill(template: Buffer, values: Values): Promise<Uint8Array>;
}

/** The level of zlib at which this service compresses what it changes. */
const ZIP_LEVEL = 3;
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

/** Groups of records, as rows in rows. */
export interface Group {
  name: string;
  rows: readonly (readonly string[])[];
}

function recordsOf({ table }: Values): Record<string, string>[] {
  const { columns, rows } = table ?? { columns: [], rows: [] };
  return rows.map((cells) =>
    Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
  );
}

function dataOf(values: Values): Record<string, unknown> {
  const { columns = [], groups = [] } = values.groups ?? {};
  const own = groups.map(({ name, rows }) => ({ name, records: recordsOf({ table: { columns, rows } }) }));
  return { ...values.texts, records: recordsOf(values), groups: own };
}

/** A loop of paragraphs around a table whose row is a loop. */
const nestedLoop = (columns: readonly string[]) => [
  paragraph(run('{#groups}')),
  paragraph(run('Group {name}')),
  table(columns, loopRow(columns)),
  paragraph(run('{/groups}')),
];

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
  const cache = new TemplateCache(isWarm ? CACHE_BYTES_MAX : 0).of();
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

/** The same core with data of any shape, in docxtemplater's language. */
export function generator(name: string, isWarm: boolean): Filler {
  const cache = new TemplateCache(isWarm ? CACHE_BYTES_MAX : 0).of();
  return {
    name,
    text: braces,
    rows: loopRow,
    nested: nestedLoop,
    image: braces,
    async fill(template, values) {
      let start = 0;
      const images: Record<string, unknown> = {};
      for (const [id, { length }] of Object.entries(values.images ?? {})) {
        images[id] = { $image: { source: { start, bytes: length }, ...IMAGE_PX } };
        start += length;
      }
      const request = {
        source: template,
        data: { ...dataOf(values), ...images } as Json,
        images: Buffer.concat(Object.values(values.images ?? {})),
        options: { timeZone: 'UTC', onMissing: 'error', onUnused: 'report', syntax: 'auto' } as const,
      };
      return (await generate(request, cache)).bytes;
    },
  };
}

/** docxtemplater at this level of compression, by default its own. */
const docxtemplaterAt = (level?: typeof ZIP_LEVEL): Filler => ({
  name: level === undefined ? 'docxtemplater, its level 6' : `docxtemplater, level ${level}`,
  text: braces,
  rows: loopRow,
  nested: nestedLoop,
  async fill(template, values) {
    const document = new Docxtemplater(new PizZip(template), { linebreaks: true, paragraphLoop: true });
    document.render(dataOf(values));
    if (level === undefined) return document.toBuffer();
    return document.toBuffer({ compression: 'DEFLATE', compressionOptions: { level } });
  },
});

/** It compresses with level 6, which cannot be chosen. */
const easyTemplateX: Filler = {
  name: 'easy-template-x, level 6',
  text: braces,
  rows: loopRow,
  nested: nestedLoop,
  image: braces,
  async fill(template, values) {
    const images = Object.entries(values.images ?? {}).map(([name, source]) => [
      name,
      { _type: 'image', source, format: MimeType.Png, ...IMAGE_PX },
    ]);
    const data = { ...dataOf(values), ...Object.fromEntries(images) };
    return await new TemplateHandler().process(template, data);
  },
};

const commandRows = (columns: readonly string[], list: string) =>
  row(columns.map((_, index) => (index === 0 ? `{FOR record IN ${list}}` : ''))) +
  row(columns.map((column) => `{$record.${column}}`)) +
  row(columns.map((_, index) => (index === 0 ? '{END-FOR record}' : '')));

/** With its sandbox off, which is its faster mode; at this level of compression, by default its own. */
const docxTemplatesAt = (level?: number): Filler => ({
  name: level === undefined ? 'docx-templates, its level 1' : `docx-templates, level ${level}`,
  text: braces,
  rows: (columns) => commandRows(columns, 'records'),
  nested: (columns) => [
    paragraph(run('{FOR group IN groups}')),
    paragraph(run('Group {$group.name}')),
    table(columns, commandRows(columns, '$group.records')),
    paragraph(run('{END-FOR group}')),
  ],
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
      data: dataOf(values),
      additionalJsContext: Object.fromEntries(images),
      cmdDelimiter: ['{', '}'],
      noSandbox: true,
      ...(level !== undefined && { compressionLevel: level }),
    });
  },
});

/** Packages that fill templates: at the level of this service where they let it be chosen, and at their own. */
export const PEERS: readonly Filler[] = [
  docxtemplaterAt(ZIP_LEVEL),
  docxtemplaterAt(),
  easyTemplateX,
  docxTemplatesAt(ZIP_LEVEL),
  docxTemplatesAt(),
];
