import { z } from 'zod';

/** The content that a complete file of a format must have. Each character of a string is a byte. */
export type Soundness =
  | { kind: 'PDF' }
  /** An archive with a part of this name, and of this content if given. */
  | { kind: 'ZIP archive'; part: string; content?: string }
  | { kind: 'UTF-8 text' }
  | { kind: 'file'; start: string; end: string };

/** A target format. */
export interface TargetFormatEntry {
  contentType: string;
  /** LibreOffice's export filter, as in its `share/registry/writer.xcd` (see the converter's `libreoffice.mjs`). */
  filter: string;
  sound: Soundness;
  /** Query parameters that apply to this format only. */
  options?: z.ZodRawShape;
}

/** Page numbers and ranges in any order: `1-3,5` or `7-`. */
const PAGE_LIST = /^[1-9]\d{0,4}(-([1-9]\d{0,4})?)?(,[1-9]\d{0,4}(-([1-9]\d{0,4})?)?)*$/;
const PAGE_LIST_CHARS_MAX = 200;

function isPageList(text: string): boolean {
  if (!PAGE_LIST.test(text)) return false;
  return text.split(',').every((range) => {
    const [first, last] = range.split('-');
    return last === undefined || last === '' || Number(first) <= Number(last);
  });
}

const switchWith = (byDefault: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(byDefault)
    .transform((text) => text === 'true')
    .pipe(z.boolean());

/** A whole number as a query parameter. A worker gets a number, or none for what an engine does by default. */
const wholeNumber = (min: number, max: number, byDefault?: number) =>
  z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
    .optional()
    .meta(byDefault === undefined ? {} : { default: byDefault });

/** A boolean query parameter, false by default. A worker gets a boolean. */
export const trueOrFalse = switchWith('false');

const pages = z
  .string()
  .max(PAGE_LIST_CHARS_MAX)
  .refine(isPageList, 'must be page numbers and ranges such as `1-3,5` or `7-`')
  .optional()
  .describe(
    'Pages of the result: numbers and ranges such as `1-3,5` or `7-`. By default all pages; of an image, the first',
  );

/** Every target format, by its name, which is also the file extension. To add a format, add an entry. */
export const TARGET_FORMATS = {
  pdf: {
    contentType: 'application/pdf',
    filter: 'writer_pdf_Export',
    sound: { kind: 'PDF' },
    options: {
      pdfa: z.enum(['1b', '2b', '3b']).optional().describe('PDF/A level of the result (ISO 19005)'),
      pdfua: trueOrFalse.describe('PDF/UA: tagged for assistive technology (ISO 14289)'),
      tagged: switchWith('true').describe(
        'Whether the PDF has tags, by which assistive technology reads it. Without them, it is smaller',
      ),
      pages,
      comments: z
        .enum(['hide', 'margin'])
        .default('hide')
        .describe('Comments: omitted, or shown in the margin'),
      imageQuality: wholeNumber(1, 100).describe(
        'Quality of images without transparency, which are stored as JPEG. By default 90',
      ),
      maxImageResolution: wholeNumber(75, 1_200).describe(
        'Images with more pixels per inch are scaled down to this resolution. By default none are',
      ),
      exportFormFields: trueOrFalse.describe(
        'Whether form fields of the document can be filled in the PDF. Otherwise they are text',
      ),
    },
  },
  docx: {
    contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    filter: 'MS Word 2007 XML',
    sound: { kind: 'ZIP archive', part: 'word/document.xml' },
  },
  odt: {
    contentType: 'application/vnd.oasis.opendocument.text',
    filter: 'writer8',
    sound: {
      kind: 'ZIP archive',
      part: 'mimetype',
      content: 'application/vnd.oasis.opendocument.text',
    },
  },
  html: {
    contentType: 'text/html; charset=utf-8',
    filter: 'HTML (StarWriter)',
    sound: { kind: 'UTF-8 text' },
  },
  txt: {
    contentType: 'text/plain; charset=utf-8',
    filter: 'Text',
    sound: { kind: 'UTF-8 text' },
  },
  png: {
    contentType: 'image/png',
    filter: 'writer_png_Export',
    // PNG (third edition) §5.2 and §11.2.5.
    sound: { kind: 'file', start: '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', end: '\0\0\0\0IEND\xaeB`\x82' },
    options: {
      pages,
      dpi: wholeNumber(10, 600, 96).describe('Pixels per inch of the image. By default 96'),
    },
  },
} as const satisfies Record<string, TargetFormatEntry>;

export type TargetFormat = keyof typeof TARGET_FORMATS;

const ENTRIES = Object.entries<TargetFormatEntry>(TARGET_FORMATS) as [TargetFormat, TargetFormatEntry][];

type Optioned = Extract<(typeof TARGET_FORMATS)[TargetFormat], { options: z.ZodRawShape }>['options'];
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer Both) => void
  ? Both
  : never;

/** The options of all formats. */
export const FORMAT_OPTIONS: All<Optioned> = Object.assign({}, ...ENTRIES.map(([, { options }]) => options));

/** Returns the formats with an option of this name. */
export function formatsWith(option: string): TargetFormat[] {
  return ENTRIES.filter(([, { options = {} }]) => Object.hasOwn(options, option)).map(([format]) => format);
}
