import type { FieldValue } from '@scriptorium/docx-template/fields';
import type { Template } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import { compile } from '../generate/compile.ts';
import { type Generated, generateFrom, generatePlaced, type PlacedDocument } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import { rowsOfForm } from './choose-rows.ts';
import { type FieldsForm, fieldsForm, generateFromFields, setOf } from './fields-form.ts';
import { hasPlaces, type PlaceText } from './form-places.ts';
import type { Misfit } from './form-rules.ts';
import { type FormRow, LargestForm } from './largest-form.ts';
import { addPieces, type Piece, type PieceShape, rowTree, shapeOf } from './row-tree.ts';

/** What fills one document: data for the marks of a template, or fields. */
export type TemplateRow = ({ data: Json } | { fields: readonly FieldValue[] }) & {
  /** The bytes to which images refer. */
  images: Buffer;
};

/** A row as the texts that go into a form. It is data, which threads can exchange. */
export interface PlacedRow {
  shape: PieceShape[];
  report: Generated['report'];
}

/** A form, and what each of the rows for which it was made puts into it. */
export interface FilledForm {
  bytes: Buffer;
  /** For each unit, the one around it, or -1. */
  around: number[];
  rows: (FormRow | Misfit)[];
}

/** A caller whose rows all have other fields must not fill the memory. */
const FIELDS_FORMS_MAX = 16;

/** Fills one template with many rows, with the same options. What rows share is made once, and kept with the template. */
export class TemplateRows {
  readonly #template: Template;
  readonly #options: Generation;
  readonly #placeText: PlaceText;
  readonly #fieldsForms = new Map<string, Promise<FieldsForm | undefined>>();
  readonly #hasPlaces: boolean;

  /** `placeText` returns the text that stands in a form at a place, starting at 0, as a new text for each number. */
  constructor(template: Template, options: Generation, placeText: PlaceText) {
    this.#template = template;
    this.#options = options;
    this.#placeText = placeText;
    this.#hasPlaces = hasPlaces(template, placeText);
  }

  /** Throws TemplateError TEMPLATE_INVALID if no data can fill the template. */
  check(): void {
    compile(this.#template, this.#options);
  }

  /** The document of a row. Rejects as `generate` and `annotate` do. */
  async document(row: TemplateRow): Promise<Generated> {
    const request = { images: row.images, options: this.#options };
    return 'fields' in row
      ? await generateFromFields(this.#template, { ...request, fields: row.fields })
      : await generateFrom(this.#template, { ...request, data: row.data });
  }

  /**
   * The texts of a row. Undefined if it needs a document of its own. That has mistakes in the row too, which `document` reports.
   */
  async placed(row: TemplateRow): Promise<PlacedRow | undefined> {
    if (this.#hasPlaces) return undefined;
    try {
      return 'fields' in row ? await this.#placedFields(row.fields) : this.#placedData(row.data);
    } catch {
      return undefined;
    }
  }

  /**
   * The largest form of some rows, whose shapes are those of `placed`. It has the pieces of all rows that suit one form; others
   * do not fit. Without a form, returns why the rows are plain.
   */
  async form(
    rows: readonly TemplateRow[],
    shapes: readonly (readonly PieceShape[])[],
  ): Promise<FilledForm | 'long' | 'template'> {
    const chosen = rowsOfForm(shapes).map((at) => rows[at]);
    const [first] = chosen;
    if (first === undefined) return 'long';
    if ('fields' in first) return await this.#formOfFields(first.fields, shapes);
    let tree: Piece | undefined;
    for (const row of chosen) {
      const placed = row !== undefined && 'data' in row ? this.#placedText(row.data) : undefined;
      if (placed === undefined) continue;
      const own = rowTree(placed.text);
      if (tree === undefined) tree = own;
      else addPieces(tree, own);
    }
    const form = tree && (await LargestForm.of(this.#template, this.#options, tree, this.#placeText));
    if (form === undefined) return 'template';
    return { bytes: form.bytes, around: form.around, rows: shapes.map((shape) => form.rowOf(shape)) };
  }

  #placedText(data: Json): PlacedDocument | undefined {
    const placed = generatePlaced(this.#template, { data, options: this.#options }, this.#placeText);
    return placed === undefined || placed.texts.length === 0 ? undefined : placed;
  }

  #placedData(data: Json): PlacedRow | undefined {
    const placed = this.#placedText(data);
    return placed && { shape: shapeOf(rowTree(placed.text), placed.texts), report: placed.report };
  }

  async #placedFields(fields: readonly FieldValue[]): Promise<PlacedRow | undefined> {
    const set = setOf(fields);
    if (set === undefined) return undefined;
    const texts = (await this.#fieldsForm(set, fields))?.textsOf(fields);
    return texts && { shape: [['', set, texts.values]], report: texts.report };
  }

  async #formOfFields(
    fields: readonly FieldValue[],
    shapes: readonly (readonly PieceShape[])[],
  ): Promise<FilledForm | 'template'> {
    const set = setOf(fields);
    const form = set === undefined ? undefined : await this.#fieldsForm(set, fields);
    const rows = shapes.map(([root]): FormRow | Misfit =>
      root?.[1] === set ? { gone: [], texts: [...(root?.[2] ?? [])], traits: [] } : 'inline',
    );
    return form === undefined ? 'template' : { bytes: form.bytes, around: [], rows };
  }

  #fieldsForm(set: string, fields: readonly FieldValue[]): Promise<FieldsForm | undefined> {
    const made =
      this.#fieldsForms.get(set) ?? fieldsForm(this.#template, fields, this.#options, this.#placeText);
    if (this.#fieldsForms.size >= FIELDS_FORMS_MAX) this.#fieldsForms.clear();
    this.#fieldsForms.set(set, made);
    return made;
  }
}
