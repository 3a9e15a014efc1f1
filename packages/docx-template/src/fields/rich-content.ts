import { ancestorsOf, childOf, descendantsOf } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Content } from './content.ts';
import { type HtmlPiece, htmlParagraphs } from './html-text.ts';
import { linesOf, run } from './text.ts';

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/i;
const ADDRESS_CHARS_MAX = 2_000;
/** Approximate characters of a run with its formats, without its style and text. */
const PIECE_CHARS = 120;

/** HTML as paragraphs with bold, italic and underlined text. In a paragraph, they become lines. */
export function htmlContent(editor: PackageEditor, value: string, style: string, dialect: Dialect): Content {
  const paragraphs = htmlParagraphs(value);
  const pieces = paragraphs.reduce((sum, { length }) => sum + length, 0);
  editor.reserve(value.length + pieces * (style.length + PIECE_CHARS));
  const written = paragraphs.map((pieces) =>
    pieces.map((piece) => run(piece.text.split('\n'), marked(style, piece, dialect), dialect)).join(''),
  );
  const end = dialect.element('r', {}, dialect.element('br'));
  return {
    inline: (isInRun) => (isInRun ? '' : written.join(end)),
    block: (paragraph) => (written.length === 0 ? paragraph('') : written.map(paragraph).join('')),
  };
}

/** The text of an HTML value. */
export function htmlAsText(value: string): string {
  return htmlParagraphs(value)
    .map((pieces) => pieces.map(({ text }) => text).join(''))
    .join('\n');
}

const REST = `(?:[^>"']|"[^"]*"|'[^']*')*`;
const OPENING = new RegExp(
  `^<(?:[\\w.-]+:)?rPr\\b${REST}>(?:<(?:[\\w.-]+:)?rStyle\\b${REST}/>)?(?:<(?:[\\w.-]+:)?rFonts\\b${REST}/>)?`,
);
/** Elements after `w:u` in run properties (ECMA-376-1 §17.3.2.28). */
const AFTER_UNDERLINE =
  /<(?:[\w.-]+:)?(?:effect|bdr|shd|fitText|vertAlign|rtl|cs|em|lang|eastAsianLayout|specVanish|oMath)\b|<\/(?:[\w.-]+:)?rPr>$/;

/** Run properties (an element or empty) with further formats, in the order of the schema. */
function marked(style: string, { isBold, isItalic, isUnderlined }: HtmlPiece, dialect: Dialect): string {
  const front = [...(isBold ? ['b'] : []), ...(isItalic ? ['i'] : [])];
  const underline = isUnderlined ? dialect.element('u', { val: 'single' }) : '';
  if (front.length === 0 && underline === '') return style;
  const added = front.map((name) => dialect.element(name)).join('');
  const replaced = [...front, ...(isUnderlined ? ['u'] : [])].join('|');
  const others = style.replace(new RegExp(`<(?:[\\w.-]+:)?(?:${replaced})(?:\\s${REST})?/>`, 'g'), '');
  const opening = OPENING.exec(others)?.[0];
  if (opening === undefined || opening.endsWith('/>')) {
    const isStyled = opening !== undefined && /(?:rStyle|rFonts)/.test(opening);
    if (!isStyled) return dialect.element('rPr', {}, added + underline);
  }
  const whole = (opening ?? '') + added + others.slice(opening?.length ?? 0);
  const at = whole.search(AFTER_UNDERLINE);
  return at === -1 ? whole : whole.slice(0, at) + underline + whole.slice(at);
}

/** A web or mail address as a hyperlink. Undefined if the value is not one, or a link cannot stand there. */
export function linkContent(
  editor: PackageEditor,
  control: Control,
  value: string,
  style: string,
): Content | undefined {
  const { story, node } = control;
  const isInLink = [...ancestorsOf(node)].some(({ name }) => name === 'w:hyperlink' || name === 'w:r');
  if (!ADDRESS.test(value) || value.length > ADDRESS_CHARS_MAX || isInLink) return undefined;
  const { dialect } = story;
  const looks = dialect.element('color', { val: '0563C1' }) + dialect.element('u', { val: 'single' });
  const shown = run([value], style === '' ? dialect.element('rPr', {}, looks) : style, dialect);
  const id = editor.addLink(story, value);
  const link = dialect
    .element('hyperlink', {}, shown)
    .replace('>', ` xmlns:r="${dialect.namespaces.r}" r:id="${id}">`);
  return { inline: () => link, block: (paragraph) => paragraph(link) };
}

/** Whether a control is a repeating section of paragraphs with items. */
export function repeatsParagraphs({ level, properties, content }: Control): boolean {
  const isSection = properties !== undefined && childOf(properties, 'w15:repeatingSection') !== undefined;
  return isSection && level === 'block' && itemIn(content) !== undefined;
}

function itemIn(content: Control['content']) {
  for (const node of descendantsOf(content)) {
    const own = node.name === 'w:sdt' ? childOf(node, 'w:sdtPr') : undefined;
    if (own !== undefined && childOf(own, 'w15:repeatingSectionItem') !== undefined) return node;
  }
  return undefined;
}

/**
 * The items of a repeating section of paragraphs: one for each group of texts, with a paragraph for each text. Without
 * groups, one empty item stays, because a section needs one.
 */
export function itemsContent(
  { content, story }: Control,
  groups: readonly (readonly string[])[],
  style: string,
  isFlattened: boolean,
): Content {
  const { xml, dialect } = story;
  const item = itemIn(content);
  const inner = item && childOf(item, 'w:sdtContent');
  const own = item && childOf(item, 'w:sdtPr');
  const id = own && childOf(own, 'w:id');
  const wrap = (paragraphs: string, number: number): string => {
    if (item === undefined || inner === undefined || isFlattened) return paragraphs;
    const first = xml.slice(item.start, inner.openEnd);
    const other =
      id === undefined ? first : xml.slice(item.start, id.start) + xml.slice(id.end, inner.openEnd);
    return (number === 0 ? first : other) + paragraphs + xml.slice(inner.closeStart, item.end);
  };
  return {
    inline: () => '',
    block: (paragraph) =>
      (groups.length === 0 ? [['']] : groups)
        .map((texts, number) => {
          const lines = (texts.length === 0 ? [''] : texts).flatMap(linesOf);
          return wrap(
            lines.map((line) => paragraph(line === '' ? '' : run([line], style, dialect))).join(''),
            number,
          );
        })
        .join(''),
  };
}
