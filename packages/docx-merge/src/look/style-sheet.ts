import { attributeOf, childOf, childValue, NAMESPACES, type XmlNode } from '@scriptorium/ooxml/xml';
import { meaningOf, type Properties, propertiesOf } from './properties.ts';
import type { Theme } from './theme.ts';
import { type Tree, treeOf } from './tree.ts';

export interface Style {
  id: string;
  type: string;
  name: string;
  aliases: string[];
  isDefault: boolean;
  /** Where `node` is. */
  tree: Tree;
  node: XmlNode;
  /** Whether the document does not have it, but looks as if it did. */
  isImplied: boolean;
  basedOn: Style | undefined;
  /** The style of the other type that goes with it. */
  link: Style | undefined;
  /** What it sets itself, in a text that is equal for equal looks. */
  own: string;
  /** Its list; '0' means none. */
  numId: string | undefined;
}

/** The styles of one document. */
export interface StyleSheet {
  theme: Theme;
  styles: ReadonlyMap<string, Style>;
  defaults: ReadonlyMap<string, Style>;
  /** `w:docDefaults`. */
  paragraph: Properties;
  run: Properties;
}

/** Children of a style that say nothing about its look. */
const SILENT = new Set(
  [
    ...['name', 'aliases', 'basedOn', 'next', 'link', 'autoRedefine', 'hidden', 'uiPriority', 'semiHidden'],
    ...[
      'unhideWhenUsed',
      'qFormat',
      'locked',
      'personal',
      'personalCompose',
      'personalReply',
      'rsid',
      'numId',
    ],
    ...['rPrChange', 'pPrChange'],
  ].map((name) => `w:${name}`),
);
const ON = new Set(['1', 'true', 'on']);

/** What holds where a document has no default style of a type. */
const IMPLIED = treeOf(
  `<w:styles xmlns:w="${NAMESPACES.w}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style></w:styles>`,
  'styles',
);

function readStyles(tree: Tree | undefined, theme: Theme): Map<string, Style> {
  const styles = new Map<string, Style>();
  if (tree === undefined) return styles;
  for (const node of tree.root.children) {
    const id = node.name === 'w:style' ? attributeOf(node, 'w:styleId') : undefined;
    if (id !== undefined) styles.set(id, readStyle(tree, node, id, theme));
  }
  return styles;
}

export function readStyleSheet(tree: Tree | undefined, theme: Theme): StyleSheet {
  const styles = readStyles(tree, theme);
  const defaults = new Map<string, Style>();
  for (const style of readStyles(IMPLIED, theme).values())
    defaults.set(style.type, Object.assign(style, { isImplied: true }));
  for (const style of styles.values()) if (style.isDefault) defaults.set(style.type, style);
  for (const style of styles.values()) {
    const base = styles.get(childValue(style.node, 'w:basedOn') ?? '');
    if (base?.type === style.type && base !== style) style.basedOn = base;
    const link = styles.get(childValue(style.node, 'w:link') ?? '');
    if (link !== undefined && link.type !== style.type) style.link = link;
  }
  const doc = tree && childOf(tree.root, 'w:docDefaults');
  const inner = (holder: string, name: string) => {
    const outer = doc && childOf(doc, holder);
    return outer && childOf(outer, name);
  };
  return {
    theme,
    styles,
    defaults,
    paragraph: propertiesOf(inner('w:pPrDefault', 'w:pPr'), 'p', theme),
    run: propertiesOf(inner('w:rPrDefault', 'w:rPr'), 'r', theme),
  };
}

function readStyle(tree: Tree, node: XmlNode, id: string, theme: Theme): Style {
  const properties = childOf(node, 'w:pPr');
  const list = properties && childOf(properties, 'w:numPr');
  const own = node.children
    .filter(({ name, children }) => !SILENT.has(name) && !(children.length === 0 && /^w:[rp]Pr$/.test(name)))
    .map((child) => meaningOf(child, theme, SILENT));
  return {
    id,
    type: attributeOf(node, 'w:type') ?? 'paragraph',
    name: childValue(node, 'w:name') ?? id,
    aliases: (childValue(node, 'w:aliases') ?? '').split(',').filter((alias) => alias.trim() !== ''),
    isDefault: ON.has(attributeOf(node, 'w:default') ?? ''),
    tree,
    node,
    isImplied: false,
    basedOn: undefined,
    link: undefined,
    own: own.join(''),
    numId: list && childValue(list, 'w:numId'),
  };
}
