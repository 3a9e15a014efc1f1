import { ancestorsOf, attributeOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Control } from '../template/controls.ts';
import type { Dialect } from '../template/dialect.ts';
import type { Story } from '../template/story.ts';
import { without } from './content.ts';

/** What says that a run is a change of the text: a filled value is none. */
const CHANGES = ['w:ins', 'w:del', 'w:moveFrom', 'w:moveTo', 'w:rPrChange'];
const TEXTS = new Set(['w:t', 'w:tab', 'w:br', 'w:sym']);

/**
 * The run properties, as an element or nothing, in which text of a control is written: those of its first text run. A
 * prompt has its own, which are not kept: then what the control gives its content, else the paragraph's.
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

/** The same for a value in place of text of a run with these properties. */
export function styleOfRun(
  own: XmlNode | undefined,
  story: Story,
  promptStyles: ReadonlySet<string>,
): string {
  return own === undefined ? '' : cleaned(own, story, promptStyles);
}

/** The same for new text in a cell: of its first text run, or of its first paragraph. Tables in it are not looked at. */
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

/** Of the paragraph that the control stands in, or that stands in it. */
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

/** The direction of the text is its own, not the prompt's. */
function withDirection(text: string, prompt: XmlNode | undefined, { dialect, xml }: Story): string {
  const direction = prompt && childOf(prompt, 'w:rtl');
  if (direction === undefined || text !== '') return text;
  return dialect.element('rPr', {}, xml.slice(direction.start, direction.end));
}

/** Attributes up to the end of a tag: in a value, a `>` may stand as it is. */
const REST = `(?:[^>"']|"[^"]*"|'[^']*')*`;
const FONTS = new RegExp(`<(?:[\\w.-]+:)?rFonts\\b${REST}(?:(?<=/)>|>[^<]*</[^>]*>)`);
const OPENING = new RegExp(`^<(?:[\\w.-]+:)?rPr\\b${REST}>(?:<(?:[\\w.-]+:)?rStyle\\b${REST}(?<=/)>)?`);

/** Run properties (an element or nothing) with this font in place of any other. */
export function withFont(style: string, font: string, dialect: Dialect): string {
  const names = { ascii: font, eastAsia: font, hAnsi: font, hint: 'eastAsia' };
  const fonts = dialect.element('rFonts', names);
  const others = style.replace(FONTS, '');
  const opening = OPENING.exec(others)?.[0];
  // Behind the style, before all else (ECMA-376-1 §17.3.2.28).
  if (opening === undefined || opening.endsWith('/>')) {
    const isStyled = opening?.includes('rStyle') === true;
    return isStyled && opening !== undefined
      ? opening + fonts + others.slice(opening.length)
      : dialect.element('rPr', {}, fonts);
  }
  return opening + fonts + others.slice(opening.length);
}
