import type { Inspector, Part } from '@scriptorium/ooxml/package';
import type { Edit, XmlVisitor } from '@scriptorium/ooxml/xml';
import { editsOf, visitRuns } from './run-fonts.ts';

/**
 * Scripts whose syllables LibreOffice tears apart if it must take them from a font that the text does not name, and fonts that
 * have them.
 */
const SCRIPTS = [
  { text: /[\u1780-\u17ff\u19e0-\u19ff]/, font: 'Noto Sans Khmer' },
  { text: /[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]/, font: 'Noto Sans Myanmar' },
] as const;
const ANY = /[\u1000-\uaa7f]/;
/** A character of them, also as a reference. */
const MAY_HAVE = /[\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\uaa7f]|&#/;

/** Fonts that have none of these scripts, in lower case. Others may have them, if they are installed. */
const WITHOUT = new Set([
  ...[
    'arial',
    'arial unicode ms',
    'calibri',
    'calibri light',
    'cambria',
    'aptos',
    'segoe ui',
    'tahoma',
    'verdana',
  ],
  ...[
    'times new roman',
    'courier new',
    'georgia',
    'garamond',
    'trebuchet ms',
    'century gothic',
    'mangal',
    'latha',
  ],
  ...[
    'liberation sans',
    'liberation serif',
    'liberation mono',
    'dejavu sans',
    'dejavu serif',
    'carlito',
    'caladea',
  ],
  ...[
    'noto sans',
    'noto serif',
    'cordia new',
    'angsana new',
    'simsun',
    'ms mincho',
    'ms gothic',
    'lohit devanagari',
  ],
]);
/**
 * Names a font that has the script of a run, if the font of the run for complex scripts (ECMA-376-1 §17.3.2.26) does not. Call
 * `apply` when all parts were read: styles may name a font that we do not know.
 */
export function scriptFonts(): Inspector & { apply(): void } {
  const named: { part: Part; edits: Edit[]; isExplicit: boolean }[] = [];
  let areStylesKnown = true;
  return {
    visit(part) {
      const add = (edits: Edit[], isExplicit: boolean) => named.push({ part, edits, isExplicit });
      const seeStyle = (font: string) => {
        if (!WITHOUT.has(font.toLowerCase())) areStylesKnown = false;
      };
      return MAY_HAVE.test(part.xml ?? '') ? visitText(add, seeStyle) : visitStyles(seeStyle);
    },
    apply() {
      for (const { part, edits, isExplicit } of named)
        if (isExplicit || areStylesKnown) part.edits.push(...edits);
    },
  };
}

/** For a part without a run in these scripts. Fonts of its runs do not count. */
function visitStyles(seeStyle: (font: string) => void): XmlVisitor {
  let runs = 0;
  return {
    'w:r': { open: () => void runs++, close: () => void runs-- },
    'w:rFonts': {
      open(tag) {
        const font = tag.attribute('w:cs');
        if (font !== undefined && runs === 0) seeStyle(font);
      },
    },
  };
}

function visitText(
  add: (edits: Edit[], isExplicit: boolean) => void,
  seeStyle: (font: string) => void,
): XmlVisitor {
  return visitRuns(
    (run) => {
      const font = ANY.test(run.text) ? SCRIPTS.find(({ text }) => text.test(run.text))?.font : undefined;
      if (font === undefined) return;
      const own = run.fonts?.attribute('w:cstheme') ? undefined : run.fonts?.attribute('w:cs');
      const isExplicit = own !== undefined;
      if (!isExplicit || WITHOUT.has(own.toLowerCase())) add(editsOf(run, 'w:cs', font, /^w:cs/), isExplicit);
    },
    (fonts) => {
      const font = fonts.attribute('w:cs');
      if (font !== undefined) seeStyle(font);
    },
  );
}
