import { ancestorsOf, attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import { without } from './content.ts';

/** Marks of tracked changes. A filled value is not a tracked change. */
const CHANGES = ['w:ins', 'w:del', 'w:moveFrom', 'w:moveTo', 'w:rPrChange'];
const TEXTS = new Set(['w:t', 'w:tab', 'w:br', 'w:sym']);

/**
 * The run properties for text in a control, as an element or empty: those of its first text run. The style of a prompt
 * is not kept: then those that the control defines for its content, else those of the paragraph.
 */
export function runStyleOf(control: Control, promptStyles: ReadonlySet<string>): string {
  const { content, properties, isPrompting } = control;
  const run = firstTextRun(content);
  const own = run && childOf(run, 'w:rPr');
  if (run !== undefined && !isPrompting && !isPrompt(own, promptStyles))
    return own === undefined ? '' : cleaned(own, control.story, promptStyles);
  const given = properties && childOf(properties, 'w:rPr');
  const style = given ?? paragraphStyle(content);
  const text = style === undefined ? '' : cleaned(style, control.story, promptStyles);
  return withDirection(text, own, control.story);
}

/** The same for a value that replaces text of a run with these properties. */
export function styleOfRun(
  own: XmlNode | undefined,
  story: Story,
  promptStyles: ReadonlySet<string>,
): string {
  return own === undefined ? '' : cleaned(own, story, promptStyles);
}

/** The same for new text in a cell: of its first text run, or its first paragraph. Nested tables are ignored. */
export function runStyleIn(cell: XmlNode, story: Story, promptStyles: ReadonlySet<string>): string {
  const run = firstTextRun(cell, isTable);
  const own = run && childOf(run, 'w:rPr');
  if (run !== undefined && !isPrompt(own, promptStyles))
    return own === undefined ? '' : cleaned(own, story, promptStyles);
  const paragraph = [...descendantsOf(cell, isTable)].find(({ name }) => name === 'w:p');
  const properties = paragraph && childOf(paragraph, 'w:pPr');
  const style = properties && childOf(properties, 'w:rPr');
  return withDirection(style === undefined ? '' : cleaned(style, story, promptStyles), own, story);
}

function isTable({ name }: XmlNode): boolean {
  return name === 'w:tbl';
}

function firstTextRun(content: XmlNode, isOpaque?: (node: XmlNode) => boolean): XmlNode | undefined {
  for (const node of descendantsOf(content, isOpaque))
    if (node.name === 'w:r' && node.children.some(({ name }) => TEXTS.has(name))) return node;
  return undefined;
}

function isPrompt(properties: XmlNode | undefined, promptStyles: ReadonlySet<string>): boolean {
  const style = properties && childOf(properties, 'w:rStyle');
  return style !== undefined && promptStyles.has(attributeOf(style, 'w:val') ?? '');
}

/** The properties of the paragraph around the control, or inside it. */
function paragraphStyle(content: XmlNode): XmlNode | undefined {
  let paragraph = [...ancestorsOf(content)].find(({ name }) => name === 'w:p');
  for (const node of descendantsOf(content)) if (node.name === 'w:p') paragraph ??= node;
  const properties = paragraph && childOf(paragraph, 'w:pPr');
  return properties && childOf(properties, 'w:rPr');
}

function cleaned(style: XmlNode, { xml }: Story, promptStyles: ReadonlySet<string>): string {
  const names = new Set(CHANGES);
  if (isPrompt(style, promptStyles)) names.add('w:rStyle');
  const kept = style.children.some(({ name }) => !names.has(name));
  return kept ? without(style, xml, names) : '';
}

/** Keeps the text direction of a prompt, which is not part of its prompt style. */
function withDirection(text: string, prompt: XmlNode | undefined, { dialect, xml }: Story): string {
  const direction = prompt && childOf(prompt, 'w:rtl');
  if (direction === undefined || text !== '') return text;
  return dialect.element('rPr', {}, xml.slice(direction.start, direction.end));
}

/** Attributes up to the end of a tag. A value may contain `>`. */
const REST = `(?:[^>"']|"[^"]*"|'[^']*')*`;
const FONTS = new RegExp(`<(?:[\\w.-]+:)?rFonts\\b${REST}(?:(?<=/)>|>[^<]*</[^>]*>)`);
const OPENING = new RegExp(`^<(?:[\\w.-]+:)?rPr\\b${REST}>(?:<(?:[\\w.-]+:)?rStyle\\b${REST}(?<=/)>)?`);

/** Run properties (an element or empty) with this font instead of any other. */
export function withFont(style: string, font: string, dialect: Dialect): string {
  const names = { ascii: font, eastAsia: font, hAnsi: font, hint: 'eastAsia' };
  const fonts = dialect.element('rFonts', names);
  const others = style.replace(FONTS, '');
  const opening = OPENING.exec(others)?.[0];
  // After the style, before everything else (ECMA-376-1 §17.3.2.28).
  if (opening === undefined || opening.endsWith('/>')) {
    const isStyled = opening?.includes('rStyle') === true;
    return isStyled && opening !== undefined
      ? opening + fonts + others.slice(opening.length)
      : dialect.element('rPr', {}, fonts);
  }
  return opening + fonts + others.slice(opening.length);
}
