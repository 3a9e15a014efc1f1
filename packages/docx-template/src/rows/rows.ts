import type { Json } from '@scriptorium/expressions/expression';
import type { FieldValue } from '../fields.ts';
import { compile } from '../generate/compile.ts';
import { type Generated, generateFrom } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import type { Template } from '../template/template.ts';
import { dataForm, type FormTexts } from './data-form.ts';
import { fieldsForm, generateFromFields, setOf } from './fields-form.ts';
import { hasPlaces, type PlaceText } from './form-places.ts';

/** What fills one document: data for the marks of a template, or fields. */
export type Row = ({ data: Json } | { fields: readonly FieldValue[] }) & {
  /** The bytes to which images refer. */
  images: Buffer;
};

/** A document that several rows share, with a text of its own at each place of a value. */
export interface Form {
  /** The same for each row of these options that the form serves. */
  key: string;
  bytes: Buffer;
}

/** A caller who changes fields or options again and again must not fill the memory. */
const FORMS_MAX = 2;
const OF_DATA = 'data';

interface KnownForm {
  bytes: Buffer;
  textsOf(row: Row): FormTexts | undefined;
}

const known = new WeakMap<Template, Map<string, Promise<KnownForm | undefined>>>();

/** Fills one template with many rows, with the same options. What all rows share is made once, and kept with the template. */
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

  /** The key of the form that can serve a row. Undefined if none can. */
  keyOf(row: Row): string | undefined {
    return 'data' in row ? OF_DATA : setOf(row.fields);
  }

  /**
   * The form for rows such as this one. Undefined if they need documents of their own, because a value can be more than a
   * text of the document, or because the template is invalid.
   */
  async form(row: Row): Promise<Form | undefined> {
    const key = this.keyOf(row);
    const form = key === undefined ? undefined : await this.#known(key, row);
    return key === undefined || form === undefined ? undefined : { key, bytes: form.bytes };
  }

  /** What a row puts into its form. Undefined if it needs a document of its own. */
  async texts(row: Row): Promise<FormTexts | undefined> {
    const key = this.keyOf(row);
    const form = key === undefined ? undefined : await this.#known(key, row);
    try {
      return form?.textsOf(row);
    } catch {
      // The making of a document fails in the same way, and then names the mistake.
      return undefined;
    }
  }

  #known(key: string, row: Row): Promise<KnownForm | undefined> {
    const forms = known.get(this.#template) ?? new Map<string, Promise<KnownForm | undefined>>();
    known.set(this.#template, forms);
    const name = `${key} ${this.#optionsKey}`;
    const form = forms.get(name);
    if (form !== undefined) return form;
    // An error of the template, or of these fields, is that of each document.
    const made = this.#made(row).catch(() => undefined);
    const [oldest] = forms.keys();
    if (oldest !== undefined && forms.size >= FORMS_MAX) forms.delete(oldest);
    forms.set(name, made);
    return made;
  }

  async #made(row: Row): Promise<KnownForm | undefined> {
    const [template, options, placeText] = [this.#template, this.#options, this.#placeText];
    if (hasPlaces(template, placeText)) return undefined;
    if ('fields' in row) {
      const form = await fieldsForm(template, row.fields, options, placeText);
      return (
        form && {
          bytes: form.bytes,
          textsOf: (own) => ('fields' in own ? form.textsOf(own.fields) : undefined),
        }
      );
    }
    const form = await dataForm(template, compile(template, options), options, placeText);
    return (
      form && { bytes: form.bytes, textsOf: (own) => ('data' in own ? form.textsOf(own.data) : undefined) }
    );
  }
}
