import type { Json } from '@scriptorium/expressions/expression';
import type { FieldValue } from '../fields.ts';
import { compile } from '../generate/compile.ts';
import { type Generated, generateFrom } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import type { Template } from '../template/template.ts';
import { type DataPrinter, dataPrinter } from './data-form.ts';
import { type FieldsForm, fieldsForm, generateFromFields, setOf } from './fields-form.ts';
import type { PlaceText } from './form-places.ts';

/** What fills one document: data for the marks of a template, or fields. */
export type Row = ({ data: Json } | { fields: readonly FieldValue[] }) & {
  /** The bytes to which images refer. */
  images: Buffer;
};

/** What a row puts into a document that it shares with other rows. */
export interface FormTexts {
  form: {
    /** The same for all rows of one template and its options that share the form. */
    key: string;
    /** A DOCX document with a text of its own at each place of a value. */
    bytes: Buffer;
  };
  /** The text for each place in order. None is empty. */
  texts: string[];
  report: Generated['report'];
}

/** Callers who change fields or options again and again must not fill the memory. */
const FORMS_MAX = 8;
const PRINTERS_MAX = 2;

const printers = new WeakMap<Template, Map<string, DataPrinter | undefined>>();
const forms = new WeakMap<Template, Map<string, Promise<Buffer | FieldsForm | undefined>>>();

/** Fills one template with many rows, with the same options. What rows share is made once, and kept with the template. */
export class TemplateRows {
  readonly #template: Template;
  readonly #options: Generation;
  readonly #placeText: PlaceText;
  readonly #optionsKey: string;

  /** `placeText` returns the text that stands in a form at a place, starting at 0, as a new text for each number. */
  constructor(template: Template, options: Generation, placeText: PlaceText) {
    this.#template = template;
    this.#options = options;
    this.#placeText = placeText;
    this.#optionsKey = JSON.stringify(options);
  }

  /** Throws TemplateError TEMPLATE_INVALID if no data can fill the template. */
  check(): void {
    compile(this.#template, this.#options);
  }

  /** The document of a row. Rejects as `generate` and `annotate` do. */
  async document(row: Row): Promise<Generated> {
    const request = { images: row.images, options: this.#options };
    if ('fields' in row) return await generateFromFields(this.#template, { ...request, fields: row.fields });
    const program = compile(this.#template, this.#options);
    return await generateFrom(this.#template, program, { ...request, data: row.data });
  }

  /**
   * The texts of a row, and the form for them. Undefined if the row needs a document of its own: if a value is not a
   * simple text or can be more than a text of the document, if `document` rejects, or if `accepts` refuses the key.
   */
  async texts(row: Row, accepts: (key: string) => boolean = () => true): Promise<FormTexts | undefined> {
    try {
      return await ('data' in row
        ? this.#dataTexts(row.data, accepts)
        : this.#fieldTexts(row.fields, accepts));
    } catch {
      // The making of the document fails in the same way, and names the mistake.
      return undefined;
    }
  }

  async #dataTexts(data: Json, accepts: (key: string) => boolean): Promise<FormTexts | undefined> {
    const options = this.#options;
    const known = valueIn(printers, this.#template, this.#optionsKey, PRINTERS_MAX, () =>
      dataPrinter(this.#template, compile(this.#template, options), options, this.#placeText),
    );
    const printed = known?.print(data);
    if (known === undefined || printed === undefined) return undefined;
    const key = printed.texts.map((text) => (text === '' ? 0 : 1)).join('');
    if (!accepts(key)) return undefined;
    const bytes = await this.#form(key, () => known.form(printed.texts));
    if (!Buffer.isBuffer(bytes)) return undefined;
    return {
      form: { key, bytes },
      texts: printed.texts.filter((text) => text !== ''),
      report: printed.report,
    };
  }

  async #fieldTexts(
    fields: readonly FieldValue[],
    accepts: (key: string) => boolean,
  ): Promise<FormTexts | undefined> {
    const key = setOf(fields);
    if (key === undefined || !accepts(key)) return undefined;
    const form = await this.#form(key, () =>
      fieldsForm(this.#template, fields, this.#options, this.#placeText),
    );
    if (form === undefined || Buffer.isBuffer(form)) return undefined;
    const texts = form.fields.map((at) => String(fields[at]?.value ?? ''));
    return { form: { key, bytes: form.bytes }, texts, report: form.report };
  }

  #form(
    key: string,
    make: () => Promise<Buffer | FieldsForm | undefined>,
  ): Promise<Buffer | FieldsForm | undefined> {
    // A mistake in a template or in its fields is one in each document.
    const made = () => make().catch(() => undefined);
    return valueIn(forms, this.#template, `${key} ${this.#optionsKey}`, FORMS_MAX, made);
  }
}

/** What is kept with a template under a name. The oldest goes if there are too many. */
function valueIn<Value>(
  kept: WeakMap<Template, Map<string, Value>>,
  template: Template,
  name: string,
  countMax: number,
  make: () => Value,
): Value {
  const own = kept.get(template) ?? new Map<string, Value>();
  kept.set(template, own);
  if (!own.has(name)) {
    const [oldest] = own.keys();
    if (oldest !== undefined && own.size >= countMax) own.delete(oldest);
    own.set(name, make());
  }
  return own.get(name) as Value;
}
