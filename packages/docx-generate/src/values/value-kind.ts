import type { PackageEditor } from '@scriptorium/docx-template/editor';
import { type FieldIssue, TemplateError } from '@scriptorium/docx-template/error';
import type { Story } from '@scriptorium/docx-template/template';
import type { Json } from '@scriptorium/expressions/expression';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { z } from 'zod';
import type { ValueResources } from './resources.ts';

/** What a mark asks for: `{%img}`, `{~html}`, `{{a}:md}`, `{{*list}}`, `{{#table}}`. */
export type As = 'image' | 'markup' | 'markdown' | 'list' | 'table';

/** The place of a mark whose value is not a text. */
export interface ValueSpot {
  story: Story;
  /** An element at the place, for the available room. */
  text: XmlNode;
  /** The `w:rPr` of the mark's run, as an element or empty. */
  style: string;
  /** The `w:pPr` of its paragraph without the end of its section, as an element or empty. */
  paragraph: string;
  /** Where the value stands in the request: `data.items[3].logo`. */
  path: string;
  /** The mark is inside a hyperlink, which cannot contain another one. */
  isInLink: boolean;
}

/**
 * What takes the place of a mark: content of its run; runs and hyperlinks beside its run; or paragraphs and tables that
 * divide its paragraph. Blocks end with a paragraph.
 */
export type Replacement = { run: string } | { runs: string } | { blocks: string };

export interface RenderContext {
  editor: PackageEditor;
  resources: ValueResources;
}

/** A kind of value that is not a text. */
export interface ValueKind<Value extends z.ZodType = z.ZodType, Loaded extends z.ZodType = z.ZodType> {
  /** The property whose presence makes an object a value of this kind: `$image`. */
  key: string;
  /** Schema of the property's value in a request. */
  requested: Value;
  /** Its schema in a worker, if the gateway replaces a part of it with what it refers to. */
  loaded?: Loaded;
  /** The property of its value that names an image. The gateway replaces it with the place of the bytes. */
  image?: string;
  /** Its value names a document. The gateway replaces it with the place of the bytes. */
  isDocument?: true;
  /**
   * Returns undefined if a resource is not loaded yet. Throws TemplateError VALIDATION_ERROR or IMAGE_INVALID. `path` is
   * that of the property: `data.logo.$image`.
   */
  render(
    value: z.output<Loaded>,
    spot: ValueSpot,
    context: RenderContext,
    path: string,
  ): Replacement | undefined;
}

/** Whether blocks can stand there. A paragraph can be divided only around its own runs. */
export function canDivide({ text, isInLink }: ValueSpot): boolean {
  const run = text.name === 'w:r' ? text : text.parent;
  return !isInLink && run?.name === 'w:r' && run.parent?.name === 'w:p';
}

/** Infers the types of a kind. */
export function valueKind<Value extends z.ZodType, Loaded extends z.ZodType = Value>(
  kind: ValueKind<Value, Loaded>,
): ValueKind {
  return kind as unknown as ValueKind;
}

/** Parses a value. Throws TemplateError VALIDATION_ERROR with each issue. */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidValues(issuesOf(parsed.error, path));
}

/** The issues of a value, each with its path in the request. */
export function issuesOf({ issues }: z.ZodError, path: string): FieldIssue[] {
  return issues.flatMap((issue) => {
    const at = issue.path.reduce<string>(pathTo, path);
    if (issue.code !== 'unrecognized_keys') return [{ field: at, issue: issue.message }];
    return issue.keys.map((key) => ({ field: pathTo(at, key), issue: 'is unknown' }));
  });
}

/** The path of an entry of the object or list at a path. */
export function pathTo(path: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`;
}

/** The error for values that are not what their kind needs. */
export function invalidValues(details: FieldIssue[]): TemplateError {
  const [first] = details;
  const message = `The value at ${first?.field} cannot be used: it ${first?.issue}.`;
  return new TemplateError('VALIDATION_ERROR', message, { details });
}

export function invalidValue(field: string, issue: string): TemplateError {
  return invalidValues([{ field, issue }]);
}

export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
