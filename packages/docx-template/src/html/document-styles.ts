import { Budget } from '@scriptorium/ooxml/bounds';
import { scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import type { Template } from '../template/template.ts';

/** The ids of styles of a document that values use. */
export interface DocumentStyles {
  /** Paragraph styles by the level of the heading, from 1 to 6. */
  headings: ReadonlyMap<number, string>;
  /** The character style of hyperlinks. */
  link: string | undefined;
}

/** Word finds its own styles by name, in English in every language (MS-OI29500 §2.1.268). */
const HEADING = /^heading ([1-6])$/i;
const LINK = /^hyperlink$/i;

const known = new WeakMap<Template, DocumentStyles>();

/** Reads the styles of a document once. */
export function documentStyles(template: Template): DocumentStyles {
  const styles = known.get(template) ?? readStyles(template);
  known.set(template, styles);
  return styles;
}

function readStyles({ document }: Template): DocumentStyles {
  const headings = new Map<number, string>();
  let link: string | undefined;
  const target = document.main.relationships.list.find(({ kind }) => kind === 'styles')?.part;
  const part = target === undefined ? undefined : document.parts.get(target);
  if (part?.xml === undefined) return { headings, link };
  let style: { id: string | undefined; type: string | undefined } | undefined;
  const visitor: XmlVisitor = {
    'w:style': {
      open: (tag) => {
        style = { id: tag.attribute('w:styleId'), type: tag.attribute('w:type') };
      },
    },
    'w:name': {
      open: (tag) => {
        const name = tag.attribute('w:val') ?? '';
        const level = Number(HEADING.exec(name)?.[1] ?? 0);
        if (style?.id === undefined) return;
        if (level > 0 && style.type === 'paragraph') headings.set(level, style.id);
        if (LINK.test(name) && style.type === 'character') link = style.id;
      },
    },
  };
  scanXml(part.xml, [visitor], { budget: new Budget(), part: part.name });
  return { headings, link };
}
