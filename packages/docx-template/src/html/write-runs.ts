import type { FieldPicture } from '../drawing/image-cache.ts';
import { plainPicture } from '../drawing/plain-picture.ts';
import { proportionsOf, sizing } from '../drawing/size.ts';
import { run } from '../fields/text.ts';
import type { PackageEditor } from '../package-editor.ts';
import { EMU_PER_TWIP } from '../template/measures.ts';
import type { Story } from '../template/story.ts';
import { type Block, type Format, type Inline, linesOfBlocks } from './blocks.ts';
import { documentStyles } from './document-styles.ts';
import { hyperlink, LINK_COLOR } from './link.ts';
import { Properties } from './properties.ts';

/** More than any page. */
const EMU_MAX = 1e9;
const CODE_FONT = 'Courier New';

type PictureInline = Extract<Inline, { type: 'picture' }>;

/** What the runs of a value need of their place. */
export interface RunPlace {
  story: Story;
  editor: PackageEditor;
  /** Links cannot stand there. */
  isInLink: boolean;
  /** The room for pictures. */
  widthTwips: number;
  heightEmu: number;
  /** The path of the value, for errors. */
  path: string;
  /** The pictures of the value by their data URIs. */
  pictures: ReadonlyMap<string, FieldPicture>;
}

/** Run properties with further formats. Properties are parsed once. */
export class RunStyle {
  readonly #base: Properties;
  readonly #place: RunPlace;
  readonly #written = new Map<Format, string>();

  /** `style` is an element or empty. `always` are further properties of all runs, by name. */
  constructor(style: string, place: RunPlace, always: Readonly<Record<string, string>> = {}) {
    const { dialect } = place.story;
    this.#place = place;
    this.#base = new Properties('rPr', new Properties('rPr', style, dialect).with(always), dialect);
  }

  of(format: Format): string {
    const known = this.#written.get(format) ?? this.#base.with(this.#changes(format));
    this.#written.set(format, known);
    return known;
  }

  #changes({ isBold, isItalic, isUnderlined, isStruck, isCode, position, ...format }: Format) {
    const { color, background, size, href } = format;
    const { story, isInLink } = this.#place;
    const { element } = story.dialect;
    const fonts = { ascii: CODE_FONT, hAnsi: CODE_FONT, cs: CODE_FONT };
    return {
      ...(href !== undefined && !isInLink && this.#linkLook()),
      ...(isCode && { rFonts: element('rFonts', fonts) }),
      ...(isBold && { b: element('b') }),
      ...(isItalic && { i: element('i') }),
      ...(isStruck && { strike: element('strike') }),
      ...(color !== undefined && { color: element('color', { val: color }) }),
      ...(size !== undefined && {
        sz: element('sz', { val: String(size) }),
        szCs: element('szCs', { val: String(size) }),
      }),
      ...(background !== undefined && {
        shd: element('shd', { val: 'clear', color: 'auto', fill: background }),
      }),
      ...(isUnderlined && { u: element('u', { val: 'single' }) }),
      ...(position !== undefined && { vertAlign: element('vertAlign', { val: position }) }),
    };
  }

  #linkLook(): Record<string, string> {
    const { story, editor } = this.#place;
    const { element } = story.dialect;
    const { link } = documentStyles(editor.template);
    if (link !== undefined) return { rStyle: element('rStyle', { val: link }) };
    return { color: element('color', { val: LINK_COLOR }), u: element('u', { val: 'single' }) };
  }
}

/** Text, pictures and links as siblings of runs. */
export function writeRuns(inlines: readonly Inline[], style: RunStyle, place: RunPlace): string {
  let written = '';
  for (let at = 0; at < inlines.length; ) {
    const href = inlines[at]?.format.href;
    let end = at + 1;
    while (end < inlines.length && inlines[end]?.format.href === href) end++;
    const runs = inlines.slice(at, end).map((inline) => writeRun(inline, style, place));
    const isLink = href !== undefined && !place.isInLink;
    written += isLink ? hyperlink(href, runs.join(''), place.story, place.editor) : runs.join('');
    at = end;
  }
  return written;
}

/** The blocks in one line of text, with line breaks. */
export function writeLines(blocks: readonly Block[], place: RunPlace & { style: string }): string {
  const style = new RunStyle(place.style, place);
  const lines = linesOfBlocks(blocks);
  const inlines = lines.flatMap((line, number) =>
    number === 0 ? line : [{ type: 'text' as const, text: '\n', format: {} }, ...line],
  );
  return writeRuns(inlines, style, place);
}

function writeRun(inline: Inline, style: RunStyle, place: RunPlace): string {
  const { dialect } = place.story;
  const looks = style.of(inline.format);
  if (inline.type === 'text') return run(inline.text.split('\n'), looks, dialect);
  const shown = place.pictures.get(inline.uri);
  if (shown === undefined) throw new Error('a picture was not read');
  return dialect.element('r', {}, looks + writePicture(inline, shown, place));
}

/** A picture in its own or the requested size, but not wider than its place. */
function writePicture({ width, height, alt }: PictureInline, shown: FieldPicture, place: RunPlace): string {
  const { story, editor, widthTwips, heightEmu, path } = place;
  const proportions = proportionsOf(shown.size);
  const wanted = sizing(proportions, { width, height }, path)({ widthEmu: EMU_MAX, heightEmu: EMU_MAX });
  const room = { widthEmu: widthTwips * EMU_PER_TWIP, heightEmu };
  const size = sizing(proportionsOf(wanted), undefined, path)(room);
  return plainPicture(shown, size, { story, editor, description: alt === '' ? undefined : alt });
}
