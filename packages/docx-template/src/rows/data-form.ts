import type { Expression, Json } from '@scriptorium/expressions/expression';
import { ImageCache } from '../drawing/image-cache.ts';
import type { Program } from '../generate/compile.ts';
import {
  evaluatorFor,
  type Generated,
  generateFrom,
  reportOf,
  scopeOf,
  writingOf,
} from '../generate/generate.ts';
import { languageOf } from '../generate/language.ts';
import type { ControlOp, Op, ValueOp } from '../generate/program.ts';
import { RichValues } from '../generate/rich-values.ts';
import { ValueWriter } from '../generate/value-writer.ts';
import type { Generation } from '../generation.ts';
import { PackageEditor } from '../package-editor.ts';
import { openTemplate, type Template } from '../template/template.ts';
import { ValueResources } from '../values/resources.ts';
import { hasPlaces, type PlaceText, placesIn } from './form-places.ts';
import { isSimple } from './simple-text.ts';

/** The texts of a row, one for each place of the template in order, and the report of its document. */
export interface PrintedRow {
  texts: string[];
  report: Generated['report'];
}

/** A template of which each mark is a text. */
export interface DataPrinter {
  /** Prints data as `generate` does. Undefined if that refuses the data, or if a value is not a simple text. */
  print(data: Json): PrintedRow | undefined;
  /**
   * The document with a text of its own at each place, except at those whose text is empty. Undefined if a text can have
   * another effect than to be shown.
   */
  form(texts: readonly string[]): Promise<Buffer | undefined>;
}

type Place = ValueOp | ControlOp;

const NO_BYTES = Buffer.alloc(0);

/** Undefined if a value of the data can be more than a text of the document. */
export function dataPrinter(
  template: Template,
  program: Program,
  options: Generation,
  placeText: PlaceText,
): DataPrinter | undefined {
  // Whether the report names these depends on whether a value equals its mark.
  if (template.hasSignatures || template.hasLooseParts || hasPlaces(template, placeText)) return undefined;
  const places: Place[] = [];
  const isPlain = withLiterals(program, (op) => String(places.push(op))) !== undefined;
  if (!isPlain || places.length === 0) return undefined;
  return {
    print: printer(template, program, options, places),
    async form(texts) {
      let [at, count] = [0, 0];
      const placed = withLiterals(program, () => (texts[at++] === '' ? '' : placeText(count++)));
      if (placed === undefined || count === 0) return undefined;
      const { bytes } = await generateFrom(template, placed, { data: null, images: NO_BYTES, options });
      const numbers = placesIn(await openTemplate(bytes), placeText)?.sort((a, b) => a - b);
      const isWhole = numbers?.length === count && numbers.every((number, index) => number === index);
      return isWhole ? bytes : undefined;
    },
  };
}

function printer(
  template: Template,
  program: Program,
  options: Generation,
  places: readonly Place[],
): DataPrinter['print'] {
  const locale = options.locale ?? languageOf(template);
  const editor = new PackageEditor(template);
  const values = new RichValues(editor, new ValueResources(new ImageCache(NO_BYTES)));
  const writing = writingOf(program, options);
  return (data) => {
    const writer = new ValueWriter({ evaluator: evaluatorFor(options, locale), editor, values }, writing);
    const scope = scopeOf(data);
    const texts: string[] = [];
    for (const op of places) {
      const text = op.kind === 'value' ? writer.printed(op, scope) : writer.printedIn(op, scope);
      if (text === undefined || !isSimple(text)) return undefined;
      texts.push(text);
    }
    const { findings } = writer;
    const isRefused = options.onMissing === 'error' && findings.missing.size > 0;
    if (findings.issues.length > 0 || isRefused) return undefined;
    return { texts, report: reportOf(template, true, findings) };
  };
}

/** The program with a text for each of its values. Undefined if it has other steps. */
function withLiterals(program: Program, textOf: (op: Place) => string): Program | undefined {
  const literal = (op: Place): Expression => ({ kind: 'literal', value: textOf(op) });
  let isPlain = true;
  const replaced = (op: Op): Op => {
    if (typeof op === 'string') return op;
    if (op.kind === 'value' && op.as === undefined) return { ...op, expression: literal(op) };
    if (op.kind === 'control' && op.item === undefined) return { ...op, names: [literal(op)] };
    // The renderer evaluates the value first.
    if (op.kind === 'alone')
      return {
        ...op,
        value: replaced(op.value) as ValueOp,
        before: op.before.map(replaced),
        after: op.after.map(replaced),
      };
    isPlain = false;
    return op;
  };
  const stories = program.stories.map((story) => ({
    ...story,
    fragments: story.fragments.map((fragment) => ({ ...fragment, ops: fragment.ops.map(replaced) })),
  }));
  return isPlain ? { ...program, stories } : undefined;
}
