import { attributeOf, childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';

/** What paragraphs get from themselves and their styles (ECMA-376-1 §17.7.2). */
export class ParagraphStyles {
  readonly #styles = new Map<string, XmlNode>();
  readonly #default: string | undefined;
  /** Properties of all paragraphs, or of those in tables. */
  readonly #general: readonly XmlNode[];

  /** `root`: the styles of the document. Undefined if it has none. */
  constructor(root: XmlNode | undefined) {
    const general: XmlNode[] = [];
    let byDefault: string | undefined;
    for (const node of root?.children ?? []) {
      const [id, type] = [attributeOf(node, 'w:styleId') ?? '', attributeOf(node, 'w:type')];
      if (node.name === 'w:docDefaults' || type === 'table')
        general.push(...[...descendantsOf(node)].filter(({ name }) => name === 'w:pPr'));
      if (node.name !== 'w:style' || type !== 'paragraph') continue;
      this.#styles.set(id, node);
      const isDefault = attributeOf(node, 'w:default');
      if (isDefault !== undefined && !/^(?:0|false|off)$/.test(isDefault)) byDefault = id;
    }
    this.#general = general;
    this.#default = byDefault;
  }

  /** Whether properties that do not name a paragraph have such a child. */
  isGeneral(has: (properties: XmlNode) => boolean): boolean {
    return this.#general.some(has);
  }

  /** The properties of a paragraph, then those of its style and of the styles on which that is based. */
  *propertiesOf(paragraph: XmlNode): Generator<XmlNode> {
    const own = childOf(paragraph, 'w:pPr');
    if (own !== undefined) yield own;
    const seen = new Set<string>();
    let id = (own && childValue(own, 'w:pStyle')) ?? this.#default;
    while (id !== undefined && !seen.has(id)) {
      seen.add(id);
      const style = this.#styles.get(id);
      const properties = style && childOf(style, 'w:pPr');
      if (properties !== undefined) yield properties;
      id = style && childValue(style, 'w:basedOn');
    }
  }
}

/** Whether the space around a paragraph depends on what is beside it. */
export function hasAutomaticSpace(properties: XmlNode): boolean {
  const spacing = childOf(properties, 'w:spacing');
  return spacing?.attributes.some(({ name }) => name.endsWith('Autospacing')) ?? false;
}
