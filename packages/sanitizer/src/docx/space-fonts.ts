import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { editsOf, type Run, visitRuns } from './run-fonts.ts';

/** Ideographs, kana, Hangul and their full-width signs, also as a reference. */
const EAST_ASIAN = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]|&#/;
/** Text of ASCII that begins with a space: LibreOffice takes letters as of their own script, and spaces as of the one before. */
const SPACE = /^ [\x20-\x7e]*$/;
const STYLES_MAX = 10_000;
const DEFAULTS = '';

/** A font by its attribute in `w:rFonts`: `w:ascii` or `w:asciiTheme`. */
interface Font {
  isOfTheme: boolean;
  name: string;
}

interface Style {
  basedOn?: string | undefined;
  font?: Font | undefined;
}

interface Styles {
  /** By kind and id; `DEFAULTS` are those of the document. */
  known: Map<string, Style>;
  /** The default style of paragraphs. */
  ofParagraphs: string;
  /** A style of tables names a font, which cells have unless their paragraphs have another. */
  areTablesKnown: boolean;
}

/**
 * Gives spaces the Latin font of their run, as Word does (ECMA-376-1 §17.3.2.26). LibreOffice sets those behind East Asian text
 * in the East Asian font, in which they are up to twice as wide. Call `apply` when all parts were read.
 */
export function spaceFonts(): Inspector & { apply(): void } {
  const found: { part: Part; run: Run; paragraphStyle: string | undefined }[] = [];
  const styles: Styles = { known: new Map(), ofParagraphs: '', areTablesKnown: true };
  return {
    visit(part) {
      if (part.contentType.endsWith('.styles+xml')) return visitStyles(styles);
      if (!EAST_ASIAN.test(part.xml ?? '')) return undefined;
      return visitText((run, paragraphStyle) => found.push({ part, run, paragraphStyle }));
    },
    apply() {
      for (const { part, run, paragraphStyle } of found) {
        const font = fontOf(run, paragraphStyle, styles);
        if (font === undefined) continue;
        const name = font.isOfTheme ? 'w:eastAsiaTheme' : 'w:eastAsia';
        part.edits.push(...editsOf(run, name, font.name, /^w:eastAsia/));
      }
    },
  };
}

function latinFont(fonts: OpenTag | undefined): Font | undefined {
  const ofTheme = fonts?.attribute('w:asciiTheme');
  const name = ofTheme ?? fonts?.attribute('w:ascii');
  return name ? { isOfTheme: ofTheme !== undefined, name } : undefined;
}

/** The Latin font of a run; undefined if it is unknown. */
function fontOf({ fonts, style }: Run, paragraphStyle: string | undefined, styles: Styles): Font | undefined {
  const own = latinFont(fonts);
  if (own) return own;
  const ofRun = fontOfStyle(`character ${style?.attribute('w:val')}`, styles);
  if (ofRun) return ofRun;
  const named = paragraphStyle === undefined ? styles.ofParagraphs : `paragraph ${paragraphStyle}`;
  const ofParagraph = fontOfStyle(named, styles);
  return ofParagraph ?? (styles.areTablesKnown ? styles.known.get(DEFAULTS)?.font : undefined);
}

function fontOfStyle(key: string, { known }: Styles): Font | undefined {
  const seen = new Set<string>();
  for (let id: string | undefined = key; id !== undefined && !seen.has(id); id = known.get(id)?.basedOn) {
    const font = known.get(id)?.font;
    if (font) return font;
    seen.add(id);
  }
  return undefined;
}

function visitStyles(styles: Styles): XmlVisitor {
  let kind = '';
  let style: Style = {};
  return {
    'w:rPrDefault': {
      open() {
        style = {};
        styles.known.set(DEFAULTS, style);
      },
    },
    'w:style': {
      open(tag) {
        kind = tag.attribute('w:type') ?? 'paragraph';
        style = {};
        const key = `${kind} ${tag.attribute('w:styleId')}`;
        if (styles.known.size < STYLES_MAX) styles.known.set(key, style);
        const isDefault = /^(?:1|true|on)$/.test(tag.attribute('w:default') ?? '');
        if (kind === 'paragraph' && isDefault) styles.ofParagraphs = key;
      },
    },
    'w:basedOn': {
      open(tag) {
        style.basedOn = `${kind} ${tag.attribute('w:val')}`;
      },
    },
    'w:rFonts': {
      open(tag) {
        style.font ??= latinFont(tag);
        if (kind === 'table' && style.font) styles.areTablesKnown = false;
      },
    },
  };
}

function visitText(add: (run: Run, paragraphStyle: string | undefined) => void): XmlVisitor {
  const paragraphs: { depth: number; style?: string | undefined }[] = [];
  return {
    ...visitRuns(
      (run) => {
        if (SPACE.test(run.text)) add(run, paragraphs.at(-1)?.style);
      },
      () => undefined,
    ),
    'w:p': {
      open: ({ depth }) => void paragraphs.push({ depth }),
      close: () => void paragraphs.pop(),
    },
    'w:pStyle': {
      open(tag) {
        const paragraph = paragraphs.at(-1);
        if (paragraph?.depth === tag.depth - 2) paragraph.style = tag.attribute('w:val');
      },
    },
  };
}
