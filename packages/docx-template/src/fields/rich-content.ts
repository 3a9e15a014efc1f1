import { ancestorsOf, childOf, descendantsOf } from '@scriptorium/ooxml/xml';
import { HtmlContent } from '../html/content.ts';
import { hyperlink, LINK_COLOR } from '../html/link.ts';
import { HtmlRefusal } from '../html/shown-markup.ts';
import type { PackageEditor } from '../package-editor.ts';
import type { Control } from '../template/controls.ts';
import { type Content, targetOf } from './content.ts';
import { invalidField } from './invalid.ts';
import { linesOf, run } from './text.ts';

const ADDRESS = /^(?:https?:\/\/|mailto:)\S+$/i;
const ADDRESS_CHARS_MAX = 2_000;
/** Approximate characters of a run with its formats, without its style and text. */
const PIECE_CHARS = 120;

/**
 * HTML as paragraphs, lists and tables; in a paragraph, as lines. Pictures are their alternative texts. Throws TemplateError
 * VALIDATION_ERROR. `path` is that of the value.
 */
export function htmlContent(
  editor: PackageEditor,
  control: Control,
  value: string,
  style: string,
  path: string,
): Content {
  const content = readContent(value, path);
  const { story, node } = control;
  for (const loss of content.lost) editor.lost.add(loss);
  editor.reserve(value.length + content.pieces * (style.length + PIECE_CHARS));
  const place = {
    story,
    editor,
    node: targetOf(control),
    style,
    path,
    isInLink: [...ancestorsOf(node)].some(({ name }) => name === 'w:hyperlink'),
    pictures: new Map(),
  };
  return {
    inline: (isInRun) => (isInRun ? '' : content.runs(place)),
    block: (paragraph) => named(path, () => content.blocks(place, paragraph)),
  };
}

/** The text of an HTML value. Throws like `htmlContent`. */
export function htmlAsText(value: string, path: string): string {
  return readContent(value, path).text;
}

function readContent(value: string, path: string): HtmlContent {
  return named(path, () => new HtmlContent(value, { hasPictures: false }));
}

function named<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof HtmlRefusal) throw invalidField(path, error.message);
    throw error;
  }
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
  const looks = dialect.element('color', { val: LINK_COLOR }) + dialect.element('u', { val: 'single' });
  const shown = run([value], style === '' ? dialect.element('rPr', {}, looks) : style, dialect);
  const link = hyperlink(value, shown, story, editor);
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
