import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { conversion } from '@scriptorium/contracts/jobs/convert';
import { CONVERT_OPTIONS, type ConvertOption } from '@scriptorium/contracts/jobs/convert-options';
import { z } from 'zod';
import { type Refuse, wordsOfForm } from './gotenberg-finishing.ts';

/** As Go reads a boolean, which is what the clients of Gotenberg send. */
const SWITCHES = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

const RESOLUTIONS = ['75', '150', '300', '600', '1200'];
const DEFAULT_RESOLUTION = '300';

/** What LibreOffice calls PDF/A levels. */
const PDFA_LEVELS: Readonly<Record<string, string>> = {
  'PDF/A-1b': '1b',
  'PDF/A-2b': '2b',
  'PDF/A-3b': '3b',
};
/** What an invoice of Factur-X requires. */
const INVOICE_LEVEL = 'PDF/A-3b';

type Options = Partial<Record<ConvertOption, string>>;

/** The options of a conversion that Gotenberg has, by its names for them. */
export const OPTION_FIELDS: ReadonlyMap<string, ConvertOption> = new Map(
  (Object.keys(CONVERT_OPTIONS) as ConvertOption[]).flatMap((name) => {
    const field = CONVERT_OPTIONS[name].meta()?.['x-gotenberg'];
    return field === undefined ? [] : [[field, name] as const];
  }),
);
const FIELD_OF = new Map([...OPTION_FIELDS].map(([field, name]): [string, string] => [name, field]));

/** A form without its files. */
interface Form {
  fields: Readonly<Record<string, string>>;
  hasInvoice: boolean;
  refuse: Refuse;
}

/** Fields that are not read as their options are: their values differ, their defaults differ, or other fields count. */
const READERS: Readonly<Record<string, (form: Form) => string | undefined>> = {
  pdfa(form) {
    const level = levelOf(form);
    if (level !== '' && PDFA_LEVELS[level] === undefined)
      form.refuse('pdfa', `is not supported: it must be one of ${Object.keys(PDFA_LEVELS).join(', ')}`);
    return PDFA_LEVELS[level];
  },
  maxImageResolution({ fields, refuse }) {
    const { maxImageResolution = '' } = fields;
    if (maxImageResolution !== '' && !RESOLUTIONS.includes(maxImageResolution))
      refuse('maxImageResolution', `must be one of ${RESOLUTIONS.join(', ')}`);
    const isReduced = readSwitch(fields, 'reduceImageResolution', false, refuse);
    return isReduced ? maxImageResolution || DEFAULT_RESOLUTION : undefined;
  },
  exportFormFields(form) {
    const { fields, refuse } = form;
    // Fields use fonts that are not embedded, so a PDF that claims conformance has them only if they are asked for.
    const isClaiming = levelOf(form) !== '' || readSwitch(fields, 'pdfua', false, refuse);
    return String(readSwitch(fields, 'exportFormFields', !isClaiming, refuse));
  },
  exportNotesInMargin: ({ fields, refuse }) =>
    readSwitch(fields, 'exportNotesInMargin', false, refuse) ? 'margin' : 'hide',
  updateIndexes: ({ fields, refuse }) => (readSwitch(fields, 'updateIndexes', true, refuse) ? 'toc' : 'none'),
};

const levelOf = ({ fields: { pdfa = '' }, hasInvoice }: Form): string =>
  pdfa || (hasInvoice ? INVOICE_LEVEL : '');

/** Returns the options of each conversion, as a query has them. */
export function readOptions(form: Form): Options {
  const options: Options = {};
  for (const [field, name] of OPTION_FIELDS) {
    const value = (READERS[field] ?? readerOf(field, name))(form);
    if (value !== undefined && value !== '') options[name] = value;
  }
  return options;
}

const readerOf =
  (field: string, name: ConvertOption): ((form: Form) => string | undefined) =>
  ({ fields, refuse }) =>
    conversion.shape[name] instanceof z.ZodBoolean
      ? String(readSwitch(fields, field, CONVERT_OPTIONS[name].parse(undefined) === true, refuse))
      : fields[field];

/** Reads a switch. Calls `refuse` if it is none. */
export function readSwitch(
  fields: Form['fields'],
  name: string,
  byDefault: boolean,
  refuse: Refuse,
): boolean {
  const text = fields[name] ?? '';
  const value = text === '' ? byDefault : SWITCHES.get(text);
  if (value === undefined) refuse(name, 'must be `true` or `false`');
  return value ?? byDefault;
}

/** Gives an issue of an option the names of the form. */
export function optionInForm(option: string, issue: string): ErrorDetail {
  const field = FIELD_OF.get(option) ?? option;
  return { field, issue: wordsOfForm(issue) };
}
