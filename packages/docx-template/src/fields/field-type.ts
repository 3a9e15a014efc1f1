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

type JsonSchema = Readonly<Record<string, unknown>>;

/** Context for filling a field. */
export interface FieldContext {
  editor: PackageEditor;
  bound: BoundData;
  images: ImageCache;
  /** Path of the field in the caller's request: `fields[3]`. */
  path: string;
}

/** The position of a placeholder in running text. */
interface PlaceholderSpot {
  story: Story;
  /** The text in which it begins, and the run around it. */
  text: XmlNode;
  run: XmlNode;
  /** The table row around it, if there is one. */
  row: XmlNode | undefined;
  /** The run properties of the surrounding text, as an element or empty. */
  style: string;
}

/**
 * The replacement of a placeholder: runs, or blocks instead of its whole paragraph. Undefined if the field has itself
 * replaced the row around it.
 */
type Replacement = { runs: string } | { blocks: string } | undefined;

/** A parsed value, which can fill any number of places. */
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
  /** Title in the reference. */
  title: string;
  /** The type of an entry without `type`. */
  isDefault?: true;
  /** Schema of the value in a request. Its output must be valid too, because a worker parses it again. */
  value: Value;
  /** Schema of the loaded value, if the gateway replaces a value with what it refers to. */
  loaded?: Loaded;
  /** Schema of the options in a request. They are parsed again like the value. */
  options: Options;
  /** Controls bound to the same data as a filled control are filled too. */
  isMirrored?: true;
  /** The `fieldTypeShort` with which a template requests this type. */
  declaredAs?: string;
  /** Whether this type suits a control. The first suitable type in the list is used. */
  suits?(control: Control): boolean;
  /** JSON Schema for the values of one field of a template, if it differs from `all`, the schema for this type. */
  valueSchema?(facts: ControlFacts, all: JsonSchema): JsonSchema;
  /** Fails with a TemplateError that names the field: VALIDATION_ERROR or IMAGE_INVALID. */
  prepare(
    field: { value: z.output<Loaded>; options: z.output<z.ZodObject<Options>> },
    context: FieldContext,
  ): PreparedField | Promise<PreparedField>;
}

const name = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_CHARS_MAX, `may have at most ${NAME_CHARS_MAX} characters`);
const target = {
  id: name.optional().meta({
    description: 'The field of the template to fill; if a `group` is given too, `id` takes precedence',
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

/** Creates the schemas of a field type from its definition. */
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
    /** An entry of `fields` in a request. */
    requested: z
      .strictObject({ ...target, type: requestedType, value, options })
      .refine(hasTarget, needsTarget)
      .meta({ id: `${title}Field`, title, ...documented }),
    /** The same entry as sent to a worker. */
    sent: z.object({ ...target, type: literal, value: (loaded ?? value) as Loaded, options }),
  };
}
