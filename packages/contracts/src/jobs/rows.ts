import { generateReport, generation } from '@scriptorium/docx-generate/generation';
import { z } from 'zod';
import { type BlobRef, blobRef, defineJob } from '../define-job.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { packParts, unpackParts } from '../pack.ts';
import { conversionReport } from './conversion-report.ts';
import { conversion } from './convert.ts';
import { signRequest } from './sign.ts';

/**
 * The jobs of a batch. One job takes several rows, a pack, and forwards them to the next worker together. A pack is a blob of
 * parts (`packParts`): the first is JSON, which refers to the others by their number, starting at 1.
 */

/** Rows of one pack. */
export const PACK_ROWS_MAX = 64;
/** Larger documents are blobs of their own, so that a reader of the pack need not hold all of them at a time. */
export const PACKED_BYTES_MAX = 256 * 1024;

const part = z.number().int().positive();

/** Where bytes are: a part of the pack, or a blob. */
const place = z.union([z.object({ part }), z.object({ blob: blobRef })]);
export type Place = z.infer<typeof place>;

const detail = z.object({ field: z.string(), issue: z.string() });
const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

/** The failure of one row. The other rows of the pack go on. */
const failedRow = z.object({
  error: z.object({ code: errorCode, message: z.string(), details: z.array(detail).optional() }),
});

const images = { images: part.optional() };

/** The JSON of the pack that the gateway makes: the parts with the JSON of each row and the bytes of its images. */
export const requestedRows = z
  .array(z.union([z.object({ data: part, ...images }), z.object({ fields: part, ...images })]))
  .max(PACK_ROWS_MAX);
export type RequestedRows = z.infer<typeof requestedRows>;

const fillReport = generateReport.omit({ runMs: true });

/**
 * Why a row was made in the plain way, although its batch has tried the fast one:
 *
 * - `compared`: it was made in both ways to compare them, or before they were the same for its kind.
 * - `few`: too few rows of its pack share a form.
 * - `content`: it has more than texts, such as pictures, links or notes.
 * - `text`: one of its texts has control characters, or a script that is shaped or runs from right to left.
 * - `long`: it has many more values than the other rows, or than a form can have.
 * - `template`: the template has what depends on its texts, such as fields, shapes that move, or tracked changes.
 * - `inline`: a condition or a loop within a paragraph, or in a header, differs from other rows.
 * - `break`: what it lacks has or follows a break, or has a note. It may also have the first or last paragraph of the document,
 *   or a part of a list that starts anew.
 * - `table`: without what it lacks, a table has another first or last row, another band, or meets another table.
 * - `empty`: a value is empty that is alone in its paragraph.
 * - `failed`: the form could not be made or filled.
 * - `different`: the ways gave different documents. The batch went on in the plain way.
 */
export const PLAIN_REASONS = [
  'compared',
  'few',
  'content',
  'text',
  'long',
  'template',
  'inline',
  'break',
  'table',
  'empty',
  'failed',
  'different',
] as const;
const plainReason = z.enum(PLAIN_REASONS);
export type PlainReason = z.infer<typeof plainReason>;

const count = z.number().int().nonnegative();

/** What a row puts into a form. */
const formValues = z.object({
  /** The index of its form. */
  form: count,
  /** The numbers of the pieces that the row lacks, without those in others of them. */
  gone: z.array(count),
  /** The text of each place in order. Null in a piece that the row lacks. Lines end with `\n`. */
  texts: z.array(z.string().nullable()),
  /** Names all loops, conditions and values of which the row lacks something. A row counts only if one of its kind was compared. */
  kind: z.string(),
});
export type FormValues = z.infer<typeof formValues>;

/**
 * The JSON of the pack for the converter. A row has a filled document, or the texts that the converter's engine puts into a
 * loaded form. A row that has both is made in both ways, which are compared.
 */
export const filledRows = z.object({
  /**
   * DOCX documents in which a unique text stands at each place: `placeText`. Bookmarks stand at the edges of pieces, which can be
   * removed (`services/converter/engine-host/form-pieces.h`). `around` has the piece around each piece, or -1.
   */
  forms: z.array(z.object({ document: place, around: z.array(z.number().int()) })).max(PACK_ROWS_MAX),
  rows: z
    .array(
      z.union([
        failedRow,
        z.object({
          document: place.optional(),
          values: formValues.optional(),
          /** Why it has no values. Undefined if the fast way was not asked for. */
          plain: plainReason.optional(),
          report: fillReport,
        }),
      ]),
    )
    .max(PACK_ROWS_MAX),
});
export type FilledRows = z.infer<typeof filledRows>;

/** Returns the text that stands in a form at place `at`, starting at 0. No other text of the form contains it. */
export const placeText = (at: number): string => `\u{F5C0}${at}\u{F5C1}`;

/** The JSON of the pack for the gateway and the signer. */
export const finishedRows = z.object({
  rows: z
    .array(
      z.union([
        failedRow,
        /** The fast way cannot make this row: it must be sent again for the plain way. */
        z.object({ again: plainReason }),
        z.object({
          document: place,
          /** Undefined if it was made in the fast way, or if that was not asked for. */
          plain: plainReason.optional(),
          report: fillReport,
          conversion: conversionReport.optional(),
          /** The JSON of a `signReply`. */
          reply: place.optional(),
        }),
      ]),
    )
    .max(PACK_ROWS_MAX),
  /** If rows were made in both ways: whether the documents are the same. */
  compared: z.enum(['same', 'different']).optional(),
  /** The kinds of rows for which the documents are the same. */
  checked: z.array(z.string()).optional(),
  /** The template has something for which the engine fills none of the forms: other packs of the batch need not try. */
  isRefused: z.boolean().optional(),
});
export type FinishedRows = z.infer<typeof finishedRows>;

/**
 * How rows become PDF. `plain`: each as by `generateJob` and `convertJob`. `fast`: by texts that are put into a loaded form,
 * where template and row permit it. `both`: by both, and the documents are compared; the plain one is the result.
 */
export const WAYS = ['plain', 'fast', 'both'] as const;

const packMade = z.object({ result: blobRef, runMs: z.number().nonnegative() });

export const fillRowsJob = defineJob({
  name: 'fill-rows',
  role: 'annotator',
  input: z.object({
    /** SHA-256 in base64url. A worker that has this template does not get the blob. The gateway removes the blob. */
    template: z.object({ hash: z.string(), blob: blobRef }),
    /** A pack with `requestedRows`. */
    rows: blobRef,
    options: generation,
    /** The template is a PDF form. */
    isForm: z.boolean().optional(),
    way: z.enum(WAYS),
    /** Fast: the kinds of rows that have been compared. Rows of other kinds get documents. */
    checked: z.array(z.string()).default([]),
    thenConvert: conversion.optional(),
    thenSign: signRequest.optional(),
  }),
  /** A pack with `filledRows` if the converter comes next, otherwise with `finishedRows`. */
  output: packMade,
  timeoutMs: 120_000,
});

export const convertRowsJob = defineJob({
  name: 'convert-rows',
  role: 'converter',
  input: z.object({
    /** A pack with `filledRows`. */
    source: blobRef,
    options: conversion,
    thenSign: signRequest.optional(),
  }),
  /** A pack with `finishedRows`. */
  output: packMade,
  timeoutMs: 600_000,
});

export const signRowsJob = defineJob({
  name: 'sign-rows',
  role: 'signer',
  /** `source` is a pack with `finishedRows`. The blobs of `signRequest` serve all packs of the batch. */
  input: signRequest.extend({ source: blobRef }),
  output: packMade,
  timeoutMs: 120_000,
});

/** The JSON of a pack of finished PDF documents: the bookmark of each. */
export const joinedRows = z.array(z.string());

/** Joins documents into one PDF. */
export const joinRowsJob = defineJob({
  name: 'join-rows',
  role: 'annotator',
  input: z.object({
    /** Packs with `joinedRows`, in order. */
    packs: z.array(blobRef),
    /** Maximum size of the result. */
    bytesMax: z.number().int().positive(),
    /** The title of the result if the documents have none in common. */
    title: z.string().optional(),
  }),
  /** `warnings` are the codes of what the result lacks, each once. */
  output: packMade.extend({ warnings: z.array(z.string()).default([]) }),
  timeoutMs: 600_000,
});

/** Reads a pack: its JSON, and a function that returns the bytes of a part and throws if the pack lacks it. */
export function openPack<List extends z.ZodType>(
  bytes: Buffer,
  list: List,
): { list: z.output<List>; part(number: number): Buffer } {
  const parts = unpackParts(bytes);
  const part = (number: number): Buffer => {
    const found = parts[number];
    if (found !== undefined) return found;
    throw new Error(`a pack lacks part ${number}`);
  };
  return { list: list.parse(JSON.parse(part(0).toString())), part };
}

/** A pack that is being written. `keep` stores larger bytes as blobs of their own, whose keys are `blobs`. */
export function newPack<List>(keep: (bytes: Buffer) => BlobRef) {
  const parts: Uint8Array[] = [];
  const blobs: string[] = [];
  return {
    blobs,
    add(bytes: Uint8Array): Place {
      if (bytes.length <= PACKED_BYTES_MAX) return { part: parts.push(bytes) };
      const blob = keep(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      blobs.push(blob.key);
      return { blob };
    },
    bytes: (list: List): Buffer => packParts([Buffer.from(JSON.stringify(list)), ...parts]),
  };
}
