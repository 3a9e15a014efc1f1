import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { type Conversion, conversion, convertOptions, hasIndexes } from '@scriptorium/contracts/jobs/convert';
import { invalid } from '@scriptorium/shared/http/validation';
import type { UploadedFile } from '../middleware/receive-files.ts';
import { excludedBy, packFinishing, passwordsOf } from './convert-request.ts';
import {
  type EmbeddedFiles,
  FINISHING_FIELDS,
  type FormFinishing,
  INVOICE,
  PERMISSION_SWITCHES,
  type Refuse,
  readFinishing,
  shown,
} from './gotenberg-finishing.ts';
import { OPTION_FIELDS, optionInForm, readOptions, readSwitch } from './gotenberg-options.ts';

type SourceFormat = Conversion['from'];
const SOURCE_FORMATS = conversion.shape.from.options;

/** Endings of the same formats besides their names. */
const MORE_ENDINGS: Readonly<Record<string, SourceFormat>> = {
  htm: 'html',
  xltm: 'xltx',
  ots: 'ods',
  otp: 'odp',
  ppsm: 'pptm',
};
const PDF = 'pdf';

/** The switches that change something here, with the defaults of Gotenberg, beside those that are options. */
const READ_SWITCHES = {
  merge: false,
  reduceImageResolution: false,
  ...PERMISSION_SWITCHES,
  // PDF/A and PDF/UA are always made by the engine itself.
  nativePdfFormats: true,
} as const;

/** The switches that have one value here: the way in which this service converts. */
const FIXED_SWITCHES: Readonly<Record<string, boolean>> = {
  ...{ landscape: false, allowDuplicateFieldNames: false, exportBookmarks: true },
  ...{ exportBookmarksToPdfDestination: false, exportPlaceholders: false, exportNotes: false },
  ...{ exportNotesPages: false, exportOnlyNotesPages: false, convertOooTargetToPdfTarget: false },
  ...{ exportLinksRelativeFsys: false, exportHiddenSlides: false, skipEmptyPages: false },
  ...{ addOriginalDocumentAsStream: false, singlePageSheets: false, firstPageOnLeft: false },
  ...{ resizeWindowToInitialPage: false, centerWindow: false, openInFullScreenMode: false },
  ...{ displayPDFDocumentTitle: true, hideViewerMenubar: false, hideViewerToolbar: false },
  ...{ hideViewerWindowControls: false, useTransitionEffects: true, losslessImageCompression: false },
  ...{ flatten: false, splitUnify: false, optimizeImages: false },
};

/** Gotenberg updates indexes of documents that have some. */
const NO_UPDATE = { updateFields: 'none' };

/** The other fields, with the values that change nothing. */
const FIXED_TEXTS: Readonly<Record<string, readonly string[]>> = {
  ...{ initialView: ['0'], initialPage: ['1'], magnification: ['0'], zoom: ['100'], pageLayout: ['0'] },
  ...{ openBookmarkLevels: ['-1'], imageQuality: [], splitMode: [], splitSpan: [] },
  ...{ rotateAngle: ['0'], rotatePages: [], downloadFrom: ['[]'], bookmarks: [] },
  ...{ watermarkPages: [], watermarkOptions: ['{}'], stampPages: [], stampOptions: ['{}'] },
  ...{ nativeWatermarkColor: ['8388223'], nativeWatermarkFontHeight: ['0'] },
  ...{ nativeWatermarkRotateAngle: ['0'], nativeWatermarkFontName: ['Helvetica'] },
  ...{ nativeTiledWatermarkText: [] },
};

/** The text fields that a form may have: all that Gotenberg knows on its route for office documents. */
export const FORM_FIELDS: readonly string[] = [
  ...[...OPTION_FIELDS.keys(), ...FINISHING_FIELDS],
  ...[READ_SWITCHES, FIXED_SWITCHES, FIXED_TEXTS].flatMap((fields) => Object.keys(fields)),
];

/** One document of a form. A PDF stays as it is, and is joined with the others. */
export interface FormDocument {
  name: string;
  bytes: Buffer;
  conversion: Conversion | undefined;
}

/** A form of Gotenberg: what to convert, and whether the results become one PDF. */
export interface ConversionForm {
  /** In the order in which Gotenberg answers and merges: that of the numbers in their names. */
  documents: FormDocument[];
  merge: boolean;
  /** What each PDF gets, as a pack; undefined if nothing. */
  finishing: Buffer | undefined;
  /** For the converter, as JSON. */
  passwords: string | undefined;
  inForm: FormFinishing['inForm'];
}

type Fields = Readonly<Record<string, string>>;

/** Reads the fields of a form. Throws VALIDATION_ERROR that names each field that is wrong or has no effect here. */
export function readForm(
  files: readonly UploadedFile[],
  embedded: EmbeddedFiles,
  fields: Fields,
): ConversionForm {
  const issues: ErrorDetail[] = [];
  const refuse: Refuse = (field, issue) => void issues.push({ field, issue });
  const switches = readSwitches(fields, refuse);
  const { merge } = switches;
  refuseOthers(fields, refuse);
  const finishing = readFinishing(fields, switches, embedded, refuse);
  const hasInvoice = embedded.invoice !== undefined;
  const options = { ...readOptions({ fields, hasInvoice, refuse }), to: PDF };
  // Joined pages keep neither: each document has profiles and a structure of its own.
  if (merge && files.length > 1)
    for (const name of ['pdfa', 'pdfua'] as const)
      if (options[name] !== undefined && options[name] !== 'false')
        refuse(hasInvoice ? INVOICE : name, 'is not supported together with `merge`');
  const documents = [...files]
    .sort((a, b) => byNumber(a.name, b.name))
    .map(({ name, bytes }) => {
      const from = formatOf(name, merge);
      if (from === undefined)
        refuse('files', `has \`${shown(name)}\`, whose ending is none of ${endings(merge).join(' ')}`);
      return {
        name,
        bytes,
        conversion:
          from && from !== PDF
            ? parse({ ...options, from, ...(!hasIndexes(from) && NO_UPDATE) }, refuse)
            : undefined,
      };
    });
  refuseFinishing(finishing, { documents, merge }, refuse);
  if (issues.length > 0) throw invalid([...new Map(issues.map((one) => [one.field, one])).values()]);
  const { request, files: attached, invoiceLevel, inForm } = finishing;
  return {
    ...{ documents, merge, inForm, passwords: passwordsOf(request) },
    finishing: packFinishing(request, attached, invoiceLevel),
  };
}

/** Refuses what the documents of a form cannot get. */
function refuseFinishing(
  { request, inForm, files }: FormFinishing,
  { documents, merge }: Pick<ConversionForm, 'documents' | 'merge'>,
  refuse: Refuse,
): void {
  const refuseNamed = (detail: ErrorDetail): void => {
    const { field, issue } = inForm(detail);
    refuse(field, issue);
  };
  for (const { conversion } of documents)
    if (conversion) for (const detail of excludedBy(request, conversion)) refuseNamed(detail);
  const { password: _ofDocuments, ...ofPdf } = request;
  const isJoined = merge && (documents.length > 1 || documents[0]?.conversion === undefined);
  for (const [field, value] of Object.entries(ofPdf))
    if (isJoined && value !== undefined)
      refuseNamed({ field, issue: 'is not supported together with `merge`, except for one office document' });
  // Each document would get a copy of all of them.
  if (files.length > 0 && documents.length > 1)
    refuseNamed({ field: 'attach[0]', issue: 'requires that the form has one document' });
}

function parse(options: Record<string, string>, refuse: Refuse): Conversion | undefined {
  const parsed = convertOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) {
    const { field, issue } = optionInForm(String(path[0]), message);
    refuse(field, issue);
  }
  return undefined;
}

function readSwitches(fields: Fields, refuse: Refuse) {
  const read = (name: string, byDefault: boolean) => readSwitch(fields, name, byDefault, refuse);
  for (const [name, value] of Object.entries(FIXED_SWITCHES))
    if (read(name, value) !== value) refuse(name, `is not supported: it must be \`${value}\`, or absent`);
  const entries = Object.entries(READ_SWITCHES).map(([name, byDefault]) => [name, read(name, byDefault)]);
  return Object.fromEntries(entries) as { [Name in keyof typeof READ_SWITCHES]: boolean };
}

function refuseOthers(fields: Fields, refuse: Refuse): void {
  for (const [name, accepted] of Object.entries(FIXED_TEXTS)) {
    const text = fields[name] ?? '';
    if (text === '' || accepted.includes(text)) continue;
    const other = accepted.length > 0 ? `: it must be \`${accepted[0]}\`, or absent` : '';
    refuse(name, `is not supported${other}`);
  }
}

/** The format of a file by its ending, which decides at Gotenberg, too. The sanitizer checks the content. */
function formatOf(name: string, merge: boolean): SourceFormat | typeof PDF | undefined {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (ending === PDF) return merge ? PDF : undefined;
  return SOURCE_FORMATS.find((format) => format === ending) ?? MORE_ENDINGS[ending];
}

const endings = (merge: boolean): string[] =>
  [...SOURCE_FORMATS, ...Object.keys(MORE_ENDINGS), ...(merge ? [PDF] : [])].map((ending) => `.${ending}`);

/** A number at the start, right before the ending, or at the end of a name. */
const NUMBERED = [
  [/^(\d+)(.*)$/s, 1, 2, true],
  [/^(.*?)(\d+)(\.[^.]+)$/s, 2, 1, false],
  [/^(.*?)(\d+)$/s, 2, 1, false],
] as const;

function numberOf(name: string): { number: number; rest: string; isFirst: boolean } | undefined {
  for (const [pattern, at, rest, isFirst] of NUMBERED) {
    const found = pattern.exec(name);
    if (found === null) continue;
    const more = isFirst ? '' : (found[3] ?? '');
    return { number: Number(found[at]), rest: `${found[rest]}${more}`, isFirst };
  }
  return undefined;
}

const compare = <Value extends string | number>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

/** Names with a number come first, by their number and the rest of the name; the others follow by name. */
export function byNumber(a: string, b: string): number {
  const [one, other] = [numberOf(a), numberOf(b)];
  if (one === undefined || other === undefined)
    return compare(one === undefined ? 1 : 0, other === undefined ? 1 : 0) || compare(a, b);
  const rest = compare(one.rest, other.rest);
  const number = compare(one.number, other.number);
  if (one.isFirst && other.isFirst) return number || rest;
  if (!one.isFirst && !other.isFirst) return rest || number || compare(a, b);
  return rest || (one.isFirst ? -1 : 1);
}
