import type { XmlNode } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import type { ImageCache } from '../drawing/image-cache.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { NAME_CHARS_MAX } from '../template/field-index.ts';
import type { Story } from '../template/story.ts';
import type { BoundData } from './bound-data.ts';
import type { ControlFacts } from './control-facts.ts';
import { optionsOf } from './field-options.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a field is filled with and into. */
export interface FieldContext {
  editor: PackageEditor;
  bound: BoundData;
  images: ImageCache;
  /** Of the field in the caller's request: `fields[3]`. */
  path: string;
}

/** Where a placeholder stands in running text. */
export interface PlaceholderSpot {
  story: Story;
  /** The text that it begins in, and the run around. */
  text: XmlNode;
  run: XmlNode;
  /** The table row around, if there is one. */
  row: XmlNode | undefined;
  /** The run properties of the text around, as an element or nothing. */
  style: string;
}

/**
 * What stands in place of a placeholder: runs, or blocks instead of its whole paragraph; undefined where the field has
 * itself replaced the row that it stands in.
 */
export type Replacement = { runs: string } | { blocks: string } | undefined;

/** A value that has been read, and can be put into any number of places. */
export interface PreparedField {
  fillControl(control: Control): void;
  replacePlaceholder(spot: PlaceholderSpot): Replacement;
}

/** A type of field: its value, its options, how a template's schema describes it, and how it is filled. */
interface FieldDefinition<
  Type extends string,
  Value extends z.ZodType,
  Options extends z.ZodRawShape,
  Loaded extends z.ZodType,
> {
  type: Type;
  /** In the reference. */
  title: string;
  /** Of an entry without `type`. */
  isDefault?: true;
  /** As a caller sends it. What it comes to must be a value as well: a worker parses it again. */
  value: Value;
  /** Where the gateway loads what a value names: what it puts in place of the value. */
  loaded?: Loaded;
  /** As a caller sends them; parsed again as the value is. */
  options: Options;
  /** The controls that are bound to the same data as one that it fills are filled with it too. */
  isMirrored?: true;
  /** The `fieldTypeShort` by which a template asks for this type. */
  declaredAs?: string;
  /** Whether a control asks for this type by what it is; the first in the list that says so has it. */
  suits?(control: Control): boolean;
  /** JSON Schema for the values of one field of a template, where it is not `all`: the one for any field of this type. */
  valueSchema?(facts: ControlFacts, all: JsonSchema): JsonSchema;
  /** Rejects with TemplateError that names the field: VALIDATION_ERROR or IMAGE_INVALID. */
  prepare(
    field: { value: z.output<Loaded>; options: z.output<z.ZodObject<Options>> },
    context: FieldContext,
  ): Promise<PreparedField>;
}

const name = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_CHARS_MAX, `may have at most ${NAME_CHARS_MAX} characters`);
const target = {
  id: name.optional().meta({
    description: 'The field of the template to fill; where a `group` is given too, the id counts',
    examples: ['customer_name'],
  }),
  group: name.optional().describe('Fills every field of this group'),
};

const needsTarget = {
  error: 'needs an `id` or a `group`',
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};
const hasTarget = ({ id, group }: { id?: unknown; group?: unknown }) =>
  id !== undefined || group !== undefined;
const documented = { anyOf: [{ required: ['id'] }, { required: ['group'] }] };

/** Makes the schemas of a type of field from its definition. */
export function fieldType<
  const Type extends string,
  Value extends z.ZodType,
  Options extends z.ZodRawShape,
  Loaded extends z.ZodType = Value,
>(definition: FieldDefinition<Type, Value, Options, Loaded>) {
  const { type, title, isDefault, value, loaded } = definition;
  const options = optionsOf(type, definition.options).prefault({} as never);
  const literal = z.literal(type);
  const requestedType = (isDefault ? literal.default(type as never) : literal) as typeof literal;
  return {
    ...definition,
    options,
    /** An entry of `fields` as a caller sends it. */
    requested: z
      .strictObject({ ...target, type: requestedType, value, options })
      .refine(hasTarget, needsTarget)
      .meta({ title, ...documented }),
    /** The same as a worker gets it. */
    sent: z.object({ ...target, type: literal, value: (loaded ?? value) as Loaded, options }),
  };
}
