import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { factsOf } from './fields/control-facts.ts';
import { typeOf } from './fields/field-types.ts';
import { fieldsSchema } from './fields-schema.ts';
import { isLikelyName } from './placeholders/likely-name.ts';
import type { Control } from './template/controls.ts';
import { groupOf, NameCounts, namesOf } from './template/field-index.ts';
import { plainText } from './template/plain-text.ts';
import type { Story } from './template/story.ts';
import type { Template } from './template/template.ts';
import type { WordField } from './template/word-fields.ts';
import type { TemplateField } from './template-field.ts';

type InText = 'placeholder' | WordField['kind'];

const EXCERPT_CHARS_MAX = 10_000;
const EXCERPTS_CHARS_MAX = 10_000_000;

/** The fields of a template in document order, and the schema of values that fill them. */
export function inspectFields(template: Template): {
  fields: TemplateField[];
  schema: Record<string, unknown>;
} {
  const fields = new FieldSurvey(template).fields();
  return { fields, schema: fieldsSchema(fields) };
}

/** Describes the controls and placeholders of a template, and how they contain each other. */
class FieldSurvey {
  readonly #template: Template;
  /** Without the second copies in text boxes. */
  readonly #controls: ReadonlySet<Control>;
  readonly #names: NameCounts;
  readonly #counts = new Map<string, number>();
  readonly #described = new Map<XmlNode, TemplateField>();
  readonly #excerpts = new Excerpts();

  constructor(template: Template) {
    this.#template = template;
    this.#controls = new Set(template.controls.filter(({ node }) => !isSecondCopy(node)));
    this.#names = new NameCounts([...this.#controls]);
  }

  fields(): TemplateField[] {
    for (const control of this.#controls) this.#describe(control);
    return [...this.#described.values(), ...this.#inText()];
  }

  #describe(control: Control): void {
    const names = namesOf(control).filter((name) => this.#template.index.isOfId(control, name));
    const id = this.#idOf(control, names);
    if (id === undefined) return;
    const group = groupOf(control);
    const { tagData, alias, wordId, node, story, level } = control;
    const label = tagData?.get('displayLabel') ?? tagData?.get('label') ?? alias;
    const container = this.#containerOf(node);
    if (container !== undefined) markGroup(container);
    this.#described.set(node, {
      id,
      ...(wordId && { wordId }),
      names,
      count: this.#countOf(id),
      ...(container && { within: container.id }),
      ...(group !== undefined && { group }),
      type: typeOf(control, control.declared),
      ...(label !== undefined && { label }),
      location: {
        part: story.part.name,
        place: isInTextBox(node) ? 'text box' : story.place,
        level,
      },
      current: control.isPrompting ? '' : this.#excerpts.of(control),
      options: factsOf(control),
    });
  }

  /** The first name that selects this control alone, else its number. A name that editors give selects others, too. */
  #idOf({ wordId }: Control, names: readonly string[]): string | undefined {
    return names.find((name) => this.#names.isOwn(name)) ?? (wordId || names[0]);
  }

  #countOf(id: string): number {
    const known = this.#counts.get(id);
    if (known !== undefined) return known;
    const count = this.#template.index.withId(id).filter((control) => this.#controls.has(control)).length;
    this.#counts.set(id, count);
    return count;
  }

  #containerOf(node: XmlNode): TemplateField | undefined {
    for (const outer of ancestorsOf(node)) {
      const field = outer.name === 'w:sdt' ? this.#described.get(outer) : undefined;
      if (field !== undefined) return field;
    }
    return undefined;
  }

  /** The first of each likely name. If a control has the name, a placeholder or field of Word cannot be filled. */
  #inText(): TemplateField[] {
    const { placeholders, wordFields } = this.#template;
    const marks = placeholders.all.filter(({ name }) => isLikelyName(name));
    const places = [
      ...marks.map((mark) => ({ ...mark, node: mark.pieces[0].text, kind: 'placeholder' as const })),
      ...wordFields.map((field) => ({ ...field, node: field.run })),
    ];
    const fields = new Map<string, TemplateField>();
    for (const { name, story, node, kind } of places) {
      if (isSecondCopy(node) || this.#template.index.withId(name).length > 0) continue;
      const known = fields.get(name);
      if (known !== undefined) known.count += 1;
      else fields.set(name, this.#describeInText(name, story, node, kind));
    }
    return [...fields.values()];
  }

  #describeInText(name: string, story: Story, node: XmlNode, kind: InText): TemplateField {
    const container = this.#containerOf(node);
    if (container !== undefined && 'level' in container.location && container.location.level !== 'inline')
      markGroup(container);
    return {
      id: name,
      names: [name],
      count: 1,
      ...(container && { within: container.id }),
      type: 'text',
      location: {
        part: story.part.name,
        place: isInTextBox(node) ? 'text box' : story.place,
        level: kind === 'placeholder' ? kind : 'field',
      },
      current: '',
      options: { control: kind },
    };
  }
}

function markGroup({ options }: TemplateField): void {
  if (options.control === 'rich text') options.control = 'group';
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

/** A text box is written twice, for new and for old readers. */
function isSecondCopy(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'mc:Fallback');
}

function isInTextBox(node: XmlNode): boolean {
  return [...ancestorsOf(node)].some(({ name }) => name === 'w:txbxContent');
}
