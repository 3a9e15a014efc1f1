import type { FieldValue } from '@scriptorium/docx-template/fields';
import { openTemplate, type Template } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { compile } from '../generate/compile.ts';
import { type Generated, generateFrom, generatePlaced } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import { type FieldsForm, fieldsForm, generateFromFields, setOf } from './fields-form.ts';
import { hasPlaces, type PlaceText, placesIn } from './form-places.ts';

/** What fills one document: data for the marks of a template, or fields. */
export type Row = ({ data: Json } | { fields: readonly FieldValue[] }) & {
  /** The bytes to which images refer. */
  images: Buffer;
};

/** A row as the texts that go into a form, one for each of its places in order. */
export interface PlacedRow {
  /** Names the form: the same for all rows that it serves. */
  form: string;
  texts: string[];
  report: Generated['report'];
}

/** Forms of one template and options. A caller whose rows all differ in their shape must not fill the memory. */
const FORMS_MAX = 16;
const FORMS_BYTES_MAX = 16 * 1024 * 1024;

/** The bytes of a form. Undefined if it cannot serve: a text in one of its places may have other effects. */
type Form = Promise<Buffer | undefined>;

const known = new WeakMap<Template, Map<string, Form>>();

/** Fills one template with many rows, with the same options. What rows share is made once, and kept with the template. */
export class TemplateRows {
  readonly #template: Template;
  readonly #options: Generation;
  readonly #placeText: PlaceText;
  readonly #forms: Map<string, Form>;
  readonly #fieldsForms = new Map<string, Promise<FieldsForm | undefined>>();
  /** Writes a form, for each form that a row has named. */
  readonly #builds = new Map<string, () => Buffer>();
  readonly #hasPlaces: boolean;

  /** `placeText` returns the text that stands in a form at a place, starting at 0, as a new text for each number. */
  constructor(template: Template, options: Generation, placeText: PlaceText) {
    this.#template = template;
    this.#options = options;
    this.#placeText = placeText;
    this.#forms = known.get(template) ?? new Map<string, Form>();
    known.set(template, this.#forms);
    this.#hasPlaces = hasPlaces(template, placeText);
  }

  /** Throws TemplateError TEMPLATE_INVALID if no data can fill the template. */
  check(): void {
    compile(this.#template, this.#options);
  }

  /** The document of a row. Rejects as `generate` and `annotate` do. */
  async document(row: Row): Promise<Generated> {
    const request = { images: row.images, options: this.#options };
    return 'fields' in row
      ? await generateFromFields(this.#template, { ...request, fields: row.fields })
      : await generateFrom(this.#template, { ...request, data: row.data });
  }

  /**
   * The texts of a row, and the name of its form. Undefined if it needs a document of its own. That has mistakes in the row
   * too, which `document` reports.
   */
  async placed(row: Row): Promise<PlacedRow | undefined> {
    if (this.#hasPlaces) return undefined;
    try {
      return 'fields' in row ? await this.#placedFields(row.fields) : this.#placedData(row.data);
    } catch {
      return undefined;
    }
  }

  /** Whether the form has been written before. */
  isKnown(form: string): boolean {
    return this.#forms.has(form);
  }

  /** The bytes of a form that a row has named. Undefined if it cannot serve. */
  form(name: string): Form {
    const before = this.#forms.get(name);
    if (before !== undefined) return before;
    const made = this.#built(name).catch(() => undefined);
    this.#forms.set(name, made);
    void made.then(() => this.#forget());
    return made;
  }

  #placedData(data: Json): PlacedRow | undefined {
    const placed = generatePlaced(this.#template, { data, options: this.#options }, this.#placeText);
    if (placed === undefined || placed.texts.length === 0) return undefined;
    const { key, texts, report, build } = placed;
    this.#remember(key, build);
    return { form: key, texts, report };
  }

  async #placedFields(fields: readonly FieldValue[]): Promise<PlacedRow | undefined> {
    const set = setOf(fields);
    if (set === undefined) return undefined;
    const found = this.#fieldsForms.get(set);
    const made = found ?? fieldsForm(this.#template, fields, this.#options, this.#placeText);
    if (this.#fieldsForms.size >= FORMS_MAX) this.#fieldsForms.clear();
    this.#fieldsForms.set(set, made);
    const form = await made;
    const texts = form?.textsOf(fields);
    if (form === undefined || texts === undefined || texts.values.includes('')) return undefined;
    this.#remember(set, () => form.bytes);
    return { form: set, texts: texts.values, report: texts.report };
  }

  /** The last row that names a form can write it, as well as the first. */
  #remember(name: string, build: () => Buffer): void {
    if (this.#builds.size >= FORMS_MAX) this.#builds.clear();
    this.#builds.set(name, build);
  }

  async #built(name: string): Form {
    const bytes = this.#builds.get(name)?.();
    if (bytes === undefined) return undefined;
    return placesIn(await openTemplate(bytes), this.#placeText) === undefined ? undefined : bytes;
  }

  /** Forgets the oldest forms beyond the bounds. */
  async #forget(): Promise<void> {
    let bytes = 0;
    for (const [at, [name, form]] of [...this.#forms].reverse().entries()) {
      bytes += (await form)?.length ?? 0;
      if (at >= FORMS_MAX || bytes > FORMS_BYTES_MAX) this.#forms.delete(name);
    }
  }
}
