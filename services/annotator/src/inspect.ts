import type { Inspection, TemplateField } from '@scriptorium/shared/jobs/inspect';
import {
  ancestorsOf,
  childOf,
  childValue,
  descendantsOf,
  type XmlNode,
} from '@scriptorium/shared/ooxml/xml-tree';
import { choicesOf } from './fields/choices.ts';
import { fieldsSchema } from './fields-schema.ts';
import type { TemplateCache } from './template/cache.ts';
import type { Control } from './template/controls.ts';
import { groupOf, idsOf } from './template/field-index.ts';
import { plainText } from './template/plain-text.ts';
import type { Template } from './template/template.ts';

/** The fields of a template in document order, and what fills them. Rejects as `openTemplate` does. */
export async function inspect(source: Buffer, templates: TemplateCache): Promise<Inspection> {
  const template = await templates.open(source);
  const controls = template.controls
    .filter(({ node }) => !isSecondCopy(node))
    .map((control) => describe(control, template))
    .filter((field) => field !== undefined);
  const fields = [...controls, ...describePlaceholders(template)];
  return { fields, schema: fieldsSchema(fields) };
}

function describe(control: Control, { index }: Template): TemplateField | undefined {
  // By a name that another control has before this one, it cannot be filled.
  const id = idsOf(control).find((name) => index.withId(name).includes(control));
  const group = groupOf(control);
  const label = control.tagData?.get('displayLabel') ?? control.tagData?.get('label') ?? control.alias;
  if (id === undefined) return undefined;
  return {
    id,
    ...(group !== undefined && { group }),
    type: typeOf(control),
    ...(label !== undefined && { label }),
    location: {
      part: control.story.part.name,
      place: isInTextBox(control.node) ? 'text box' : control.story.place,
      level: control.level,
    },
    current: control.isPrompting ? '' : plainText(control.content, control.story.xml),
    options: optionsOf(control),
  };
}

/** The first of each name, unless a control has that name: then it cannot be filled. */
function describePlaceholders({ index, placeholders }: Template): TemplateField[] {
  const seen = new Set<string>();
  return placeholders.all.flatMap(({ name, story, pieces: [{ text }] }) => {
    if (seen.has(name) || isSecondCopy(text) || index.withId(name).length > 0) return [];
    seen.add(name);
    return {
      id: name,
      type: 'text',
      location: {
        part: story.part.name,
        place: isInTextBox(text) ? 'text box' : story.place,
        level: 'placeholder',
      },
      current: '',
      options: { control: 'placeholder' },
    };
  });
}

/** A text box is there twice, for new readers and for old ones. */
function isSecondCopy(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'mc:Fallback');
}

function isInTextBox(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'w:txbxContent');
}

function typeOf(control: Control): TemplateField['type'] {
  const declared = control.tagData?.get('fieldTypeShort') ?? legacyType(control);
  if (declared === 'signature' || declared === 'image') return declared;
  if (control.kind === 'picture') return 'image';
  return control.kind === 'rich text' && columnsOf(control) !== undefined ? 'table' : 'text';
}

/** Early template builders put elements of their own into `w:sdtPr`. */
function legacyType({ properties }: Control): string | undefined {
  return properties && childValue(properties, 'w:fieldTypeShort');
}

function columnsOf({ level, content }: Control): number | undefined {
  const rowHolder = [...descendantsOf(content, ({ name }) => name === 'w:tbl' || name === 'w:tr')];
  const table = rowHolder.find(({ name }) => name === 'w:tbl');
  const grid = table && childOf(table, 'w:tblGrid');
  if (grid !== undefined && grid.children.length > 0) return grid.children.length;
  const row = level === 'row' ? rowHolder.find(({ name }) => name === 'w:tr') : undefined;
  return (
    row && [...descendantsOf(row, ({ name }) => name === 'w:tc')].filter(({ name }) => name === 'w:tc').length
  );
}

function optionsOf(control: Control): TemplateField['options'] {
  const { kind, properties } = control;
  const columns = kind === 'rich text' ? columnsOf(control) : undefined;
  const choices = kind === 'drop-down' || kind === 'combo box' ? choicesOf(control) : undefined;
  const date = properties && childOf(properties, 'w:date');
  const dateFormat = date && childValue(date, 'w:dateFormat');
  const has = (name: string) => properties !== undefined && childOf(properties, name) !== undefined;
  return {
    control: kind,
    ...(choices && { choices: choices.map(({ text }) => text) }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(columns !== undefined && { columns }),
    ...(has('w:lock') && {
      isLocked: properties !== undefined && childValue(properties, 'w:lock') !== 'unlocked',
    }),
    ...((has('w:dataBinding') || has('w15:dataBinding')) && { isBound: true }),
  };
}
