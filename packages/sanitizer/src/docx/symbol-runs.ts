import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';

/** Fonts whose characters are signs by their codes, in lower case. */
const SYMBOL_FONTS = new Set([
  ...['symbol', 'wingdings', 'wingdings 2', 'wingdings 3', 'webdings', 'zapfdingbats', 'zapf dingbats'],
  ...['itc zapf dingbats', 'monotype sorts', 'mt extra'],
]);
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
/** Codes of signs stand in the range of private use, or in that of letters. */
const [PRIVATE, LAST] = [0xf000, 0xff];

/** Longer texts in a font of symbols stay: each sign takes an element. */
const SIGNS_MAX = 1_000;

interface Run {
  depth: number;
  font: string | undefined;
  /** The open text. */
  text: string;
}

/**
 * Writes each character of a run in a font of symbols as a sign of its font (`w:sym`, ECMA-376-1 §17.3.3.30). If the document has
 * several of these fonts, LibreOffice would show it in a text as the sign that another one has at that code.
 */
export function symbolRuns(): Inspector {
  return { visit: visitRuns };
}

function visitRuns(part: Part): XmlVisitor {
  const runs: Run[] = [];
  const fontOf = (tag: OpenTag) => {
    const font = tag.attribute('w:hAnsi') ?? tag.attribute('w:ascii');
    return font !== undefined && SYMBOL_FONTS.has(font.toLowerCase()) ? font : undefined;
  };
  return {
    'w:r': {
      open: ({ depth }) => void runs.push({ depth, font: undefined, text: '' }),
      close: () => void runs.pop(),
    },
    'w:rFonts': {
      open(tag) {
        const run = runs.at(-1);
        // Not those of a tracked change, or of a paragraph inside.
        if (run?.depth === tag.depth - 2) run.font = fontOf(tag);
      },
    },
    'w:t': {
      open() {
        const run = runs.at(-1);
        if (run !== undefined) run.text = '';
      },
      text(text) {
        const run = runs.at(-1);
        if (run !== undefined) run.text += text;
      },
      close({ start, end }) {
        const { font, text } = runs.at(-1) ?? { font: undefined, text: '' };
        if (font === undefined || text === '' || text.length > SIGNS_MAX) return;
        const codes = Array.from(text, codeOf);
        if (codes.includes(undefined)) return;
        const signs = codes.map(
          (code = 0) => `<w:sym ${W} w:font="${font}" w:char="${code.toString(16).toUpperCase()}"/>`,
        );
        part.edits.push({ start, end, text: signs.join('') });
      },
    },
  };
}

/** The code of a sign in the range of private use; undefined for characters of no font of symbols. */
function codeOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code >= PRIVATE + 0x20 && code <= PRIVATE + LAST) return code;
  return code >= 0x20 && code <= LAST ? PRIVATE + code : undefined;
}
