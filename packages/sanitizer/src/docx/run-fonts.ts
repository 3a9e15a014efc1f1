import { type Edit, escapeXml, type OpenTag, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** A run, and what its properties say of fonts. */
export interface Run {
  depth: number;
  text: string;
  /** Behind its start tag, its properties, and the style in them. */
  start: number;
  properties?: OpenTag;
  style?: OpenTag;
  fonts?: OpenTag;
}

/** Calls `add` for each run at its end, and `seeOutside` for fonts that are those of no run. */
export function visitRuns(add: (run: Run) => void, seeOutside: (fonts: OpenTag) => void): XmlVisitor {
  const runs: Run[] = [];
  /** The innermost run, if this is a child of its properties. */
  const runOf = ({ depth }: OpenTag) => (runs.at(-1)?.depth === depth - 2 ? runs.at(-1) : undefined);
  const text = (piece: string) => {
    const run = runs.at(-1);
    if (run) run.text += piece;
  };
  return {
    'w:r': {
      open: ({ depth, end }) => void runs.push({ depth, start: end, text: '' }),
      close() {
        const run = runs.pop();
        if (run) add(run);
      },
    },
    'w:rPr': {
      open(tag) {
        const run = runs.at(-1);
        if (run?.depth === tag.depth - 1) run.properties = tag;
      },
    },
    'w:rStyle': {
      open(tag) {
        const run = runOf(tag);
        if (run && tag.isEmpty) run.style = tag;
      },
    },
    'w:rFonts': {
      open(tag) {
        const run = runOf(tag);
        if (run) run.fonts = tag;
        else if (runs.length === 0) seeOutside(tag);
      },
    },
    'w:t': { text },
    'w:delText': { text },
  };
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** Names a font of a run (ECMA-376-1 §17.3.2.26), and no longer those that `replaced` matches. */
export function editsOf(
  { start, properties, style, fonts }: Run,
  name: string,
  font: string,
  replaced: RegExp,
): Edit[] {
  const kept = fonts?.attributes.filter((own) => own.name.startsWith('w:') && !replaced.test(own.name)) ?? [];
  const others = kept.map((own) => ` ${own.name}="${escapeXml(own.value)}"`).join('');
  const written = `<w:rFonts ${W}${others} ${name}="${escapeXml(font)}"/>`;
  if (fonts) return fonts.isEmpty ? [{ start: fonts.start, end: fonts.end, text: written }] : [];
  if (properties && !properties.isEmpty) {
    const at = style?.end ?? properties.end;
    return [{ start: at, end: at, text: written }];
  }
  const place = properties ?? { start, end: start };
  return [{ start: place.start, end: place.end, text: `<w:rPr ${W}>${written}</w:rPr>` }];
}
