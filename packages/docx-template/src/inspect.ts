import { ancestorsOf, childValue, type XmlNode } from '@scriptorium/ooxml/xml';
import { factsOf } from './fields/control-facts.ts';
import { typeOf } from './fields/field-types.ts';
import { fieldsSchema } from './fields-schema.ts';
import type { Inspection, TemplateField } from './inspection.ts';
import { isLikelyName } from './placeholders/likely-name.ts';
import type { TemplateCache } from './template/cache.ts';
import type { Control } from './template/controls.ts';
import { groupOf, idsOf } from './template/field-index.ts';
import { plainText } from './template/plain-text.ts';
import type { Template } from './template/template.ts';

const EXCERPT_CHARS_MAX = 10_000;
const EXCERPTS_CHARS_MAX = 10_000_000;

/** The fields of a template in document order, and their schema. Rejects with the errors of `openTemplate`. */
export async function inspect(source: Buffer, templates: TemplateCache): Promise<Inspection> {
  const template = await templates.open(source);
  const excerpts = new Excerpts();
  const controls = template.controls
    .filter(({ node }) => !isSecondCopy(node))
    .map((control) => describe(control, template, excerpts))
    .filter((field) => field !== undefined);
  const fields = [...controls, ...describePlaceholders(template)];
  return { fields, schema: fieldsSchema(fields) };
}

function describe(control: Control, { index }: Template, excerpts: Excerpts): TemplateField | undefined {
  // A name cannot fill this control if another control has priority for it.
  const id = idsOf(control).find((name) => index.isOfId(control, name));
  const group = groupOf(control);
  const label = control.tagData?.get('displayLabel') ?? control.tagData?.get('label') ?? control.alias;
  if (id === undefined) return undefined;
  return {
    id,
    ...(group !== undefined && { group }),
    type: typeOf(control, control.tagData?.get('fieldTypeShort') ?? legacyType(control)),
    ...(label !== undefined && { label }),
    location: {
      part: control.story.part.name,
      place: isInTextBox(control.node) ? 'text box' : control.story.place,
      level: control.level,
    },
    current: control.isPrompting ? '' : excerpts.of(control),
    options: factsOf(control),
  };
}

/** Excerpts of the content of controls, bounded in total, because nested controls repeat their text. */
class Excerpts {
  #charsLeft = EXCERPTS_CHARS_MAX;

  of({ content, story }: Control): string {
    const text = plainText(content, story.xml, Math.min(EXCERPT_CHARS_MAX, this.#charsLeft));
    this.#charsLeft -= text.length;
    return text;
  }
}

/** The first placeholder of each likely name. If a control has the name, the placeholder cannot be filled. */
function describePlaceholders({ index, placeholders }: Template): TemplateField[] {
  const seen = new Set<string>();
  return placeholders.all.flatMap(({ name, story, pieces: [{ text }] }) => {
    if (seen.has(name) || !isLikelyName(name) || isSecondCopy(text) || index.withId(name).length > 0)
      return [];
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

/** A text box is written twice, for new and for old readers. */
function isSecondCopy(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'mc:Fallback');
}

function isInTextBox(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'w:txbxContent');
}

/** Early template builders wrote custom elements into `w:sdtPr`. */
function legacyType({ properties }: Control): string | undefined {
  return properties && childValue(properties, 'w:fieldTypeShort');
}
