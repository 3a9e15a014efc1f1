import {
  AUTO_DELIMITER,
  PAPER_SOURCES,
  PAPERS,
  SOURCE_FORMATS,
  type SourceFormat,
  TEXT_SOURCES,
  WORD_SOURCES,
} from '@scriptorium/sanitizer/sources';
import { z } from 'zod';
import { TARGET_FORMATS, type TargetFormat } from './target-formats.ts';

declare module 'zod' {
  /** What the faces of the contract show of an option, beside its type, `title`, `description` and `default`. */
  interface GlobalMeta {
    /** The names of its values in a form. */
    'x-enumDescriptions'?: Readonly<Record<string, string>>;
    /** What a form shows where an option without a default is absent. */
    'x-absent'?: string;
    'x-unit'?: string;
    /** The source formats, or the target formats, that it suits. By default all. */
    'x-from'?: readonly SourceFormat[];
    'x-to'?: readonly TargetFormat[];
    /** The field with the same meaning in a form of Gotenberg. */
    'x-gotenberg'?: string;
  }
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

/** A boolean as a query parameter. A worker gets a boolean. */
const switchWith = (byDefault: 'true' | 'false') =>
  z
    .enum(['true', 'false'])
    .default(byDefault)
    .transform((text) => text === 'true')
    .pipe(z.boolean());

/** A switch with further values, the first of which is the default. In JSON, it may be a boolean, too. */
const choiceOrSwitch = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.preprocess(
    (value) => (typeof value === 'boolean' ? String(value) : value),
    z.enum(values).default(values[0] as never),
  );

/** A whole number as a query parameter. A worker gets a number, or none for what an engine does by default. */
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max })
    .optional();

/**
 * Every option of a conversion, as a query has it. To add one, add an entry: validation and all faces of the contract follow.
 * A default in `meta` is what an engine does without the option.
 */
export const CONVERT_OPTIONS = {
  from: z.enum(SOURCE_FORMATS).describe('Format of the file: a text, a spreadsheet or a presentation'),
  to: z
    .enum(Object.keys(TARGET_FORMATS) as TargetFormat[])
    .default('pdf')
    .meta({
      title: 'Convert to',
      description:
        'Format of the result. `png` is an image of one page. Spreadsheets and presentations become `pdf` or `png`',
      'x-enumDescriptions': {
        pdf: 'PDF',
        docx: 'Word (DOCX)',
        odt: 'OpenDocument (ODT)',
        html: 'HTML',
        txt: 'Plain text',
        png: 'Picture of a page (PNG)',
      } satisfies Record<TargetFormat, string>,
    }),
  pdfa: z
    .enum(['1b', '2b', '3b'])
    .optional()
    .meta({
      title: 'Archive (PDF/A)',
      description: 'PDF/A level of the result (ISO 19005)',
      'x-enumDescriptions': { '1b': 'PDF/A-1b', '2b': 'PDF/A-2b', '3b': 'PDF/A-3b' },
      'x-absent': 'No',
      'x-to': ['pdf'],
      'x-gotenberg': 'pdfa',
    }),
  pdfua: switchWith('false').meta({
    title: 'For assistive technology (PDF/UA)',
    description: 'PDF/UA: tagged for assistive technology (ISO 14289)',
    'x-to': ['pdf'],
    'x-gotenberg': 'pdfua',
  }),
  tagged: switchWith('true').meta({
    title: 'Tags, for programs that read aloud',
    description:
      'Whether the PDF has tags, by which assistive technology reads it. Without them, it is smaller. Required by `pdfa` and `pdfua`',
    'x-to': ['pdf'],
  }),
  pages: z
    .string()
    .max(PAGE_LIST_CHARS_MAX)
    .refine(isPageList, 'must be page numbers and ranges such as `1-3,5` or `7-`')
    .optional()
    .meta({
      title: 'Pages',
      description:
        'Pages of the result: numbers and ranges such as `1-3,5` or `7-`; of an image, one number. By default all pages; of an image, the first',
      'x-absent': 'All, or 1-3,5',
      'x-to': ['pdf', 'png'],
      'x-gotenberg': 'nativePageRanges',
    }),
  comments: z
    .enum(['hide', 'margin'])
    .default('hide')
    .meta({
      title: 'Comments',
      description: 'Comments of a text: omitted, or shown in the margin',
      'x-enumDescriptions': { hide: 'Leave out', margin: 'In the margin' },
      'x-from': TEXT_SOURCES,
      'x-to': ['pdf'],
      'x-gotenberg': 'exportNotesInMargin',
    }),
  imageQuality: wholeNumber(1, 100).meta({
    title: 'Quality of images',
    description: 'Quality of images without transparency, which are stored as JPEG',
    default: 90,
    'x-to': ['pdf'],
    'x-gotenberg': 'quality',
  }),
  maxImageResolution: wholeNumber(75, 1_200).meta({
    title: 'Scale images down to',
    description: 'Images with more pixels per inch are scaled down to this resolution. By default none are',
    'x-absent': 'As they are',
    'x-unit': 'pixels per inch',
    'x-to': ['pdf'],
    'x-gotenberg': 'maxImageResolution',
  }),
  exportFormFields: switchWith('false').meta({
    title: 'Form fields can be filled',
    description:
      'Whether form fields of the document can be filled in the PDF, with the tags of content controls as names. Otherwise they are text',
    'x-to': ['pdf'],
    'x-gotenberg': 'exportFormFields',
  }),
  dpi: wholeNumber(10, 600).meta({
    title: 'Resolution',
    description: 'Pixels per inch of the image',
    default: 96,
    'x-unit': 'pixels per inch',
    'x-to': ['png'],
  }),
  revisions: z
    .enum(['final', 'original', 'markup'])
    .default('markup')
    .meta({
      title: 'Tracked changes',
      description: 'Tracked changes: all accepted, all rejected, or shown as changes',
      'x-enumDescriptions': { final: 'Accepted', original: 'Rejected', markup: 'Shown' },
      'x-from': WORD_SOURCES,
    }),
  updateFields: z
    .enum(['none', 'toc', 'all'])
    .default('none')
    .meta({
      title: 'Fields',
      description:
        'Fields of a text to update: none (fields keep their stored text), tables of contents, or all',
      'x-enumDescriptions': {
        none: 'Keep all as they are',
        toc: 'Update tables of contents',
        all: 'Update all',
      },
      'x-from': TEXT_SOURCES,
      'x-gotenberg': 'updateIndexes',
    }),
  paper: z
    .enum(PAPERS)
    .optional()
    .meta({
      title: 'Paper',
      description: 'Paper of a page, a Markdown text, a text or a CSV, which name none',
      'x-enumDescriptions': { a3: 'A3', a4: 'A4', a5: 'A5', letter: 'Letter', legal: 'Legal' },
      'x-absent': 'As the file says, or A4',
      'x-from': PAPER_SOURCES,
    }),
  delimiter: z
    .string()
    .regex(/^(auto|[^"\r\n])$/, 'must be `auto` or one character, and neither a quote nor a line end')
    .optional()
    .meta({
      title: 'Delimiter of fields',
      description: 'What separates the fields of a CSV: `auto` to detect it, or one character',
      default: AUTO_DELIMITER,
      'x-from': ['csv'],
    }),
  strictFonts: choiceOrSwitch('false', 'true', 'exact').meta({
    title: 'Refuse fonts that are missing',
    description:
      'Reject a document if one of its fonts is not installed: `true` unless one of the same widths replaces it, `exact` in any case',
    'x-enumDescriptions': {
      false: 'Replace them',
      true: 'Refuse other widths',
      exact: 'Refuse any other font',
    },
  }),
};
export type ConvertOption = keyof typeof CONVERT_OPTIONS;

/** The same schemas for parsed options, in which a switch is a boolean and a number a number. */
type ParsedSchema<Schema> =
  Schema extends z.ZodPipe<z.ZodType, infer Out>
    ? Out
    : Schema extends z.ZodOptional<z.ZodPipe<z.ZodType, infer Out extends z.ZodType>>
      ? z.ZodOptional<Out>
      : Schema;
type Parsed<Shape> = { [Name in keyof Shape]: ParsedSchema<Shape[Name]> };

function parsedOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return schema.def.out as z.ZodType;
  if (!(schema instanceof z.ZodOptional) || !(schema.def.innerType instanceof z.ZodPipe)) return schema;
  return z.optional(schema.def.innerType.def.out as z.ZodType);
}

const isPreprocessed = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodPipe && schema.def.in instanceof z.ZodTransform;

/** In JSON, a switch is a boolean with its default, and a number a number. */
function inJson(schema: z.ZodType): z.ZodType {
  const out = parsedOf(schema);
  if (out === schema || isPreprocessed(schema)) return schema;
  const value = schema instanceof z.ZodPipe ? out.default(schema.parse(undefined)) : out;
  return value.meta(schema.meta() ?? {});
}

const ENTRIES = Object.entries<z.ZodType>(CONVERT_OPTIONS);

/** The options as a worker gets them. */
export const PARSED_OPTIONS = Object.fromEntries(
  ENTRIES.map(([name, schema]) => [name, parsedOf(schema)]),
) as Parsed<typeof CONVERT_OPTIONS>;

const suitsPdfOfDocx = (schema: z.ZodType): boolean => {
  const { 'x-from': from, 'x-to': to } = schema.meta() ?? {};
  return (from?.includes('docx') ?? true) && (to?.includes('pdf') ?? true);
};

/** The options in a JSON body, from DOCX to PDF. */
export const PDF_OPTIONS = Object.fromEntries(
  ENTRIES.filter(([name, schema]) => name !== 'from' && name !== 'to' && suitsPdfOfDocx(schema)).map(
    ([name, schema]) => [name, inJson(schema)],
  ),
) as Omit<Parsed<typeof CONVERT_OPTIONS>, 'from' | 'to'>;
