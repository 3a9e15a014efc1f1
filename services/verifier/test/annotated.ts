/** An annotation that an update adds: its keys but for the type and the look, and the look. */
export interface Note {
  keys: string;
  look?: string;
  lookKeys?: string;
}

const lastOf = (text: string, pattern: RegExp): RegExpMatchArray => {
  const found = [...text.matchAll(pattern)].at(-1);
  if (!found) throw new Error(`there is no ${pattern}`);
  return found;
};

/** Appends a strict update with annotations to a document of `onePage`, signed or not. Its page is object 3. */
export function annotated(pdf: Buffer, notes: readonly Note[]): Buffer {
  const text = pdf.toString('latin1');
  const [, page = ''] = lastOf(text, /^3 0 obj\n(<<[\s\S]*?>>)\nendobj/gm);
  const [, known = ''] = /\/Annots\s*\[([^\]]*)\]/.exec(page) ?? [];
  const size = Number(lastOf(text, /\/Size (\d+)/g)[1]);
  const [, id = ''] = /(\/ID *\[[^\]]*\])\s*>>\s*startxref\s+\d+\s+%%EOF\s*$/.exec(text) ?? [];
  const previous = Number(lastOf(text, /startxref\s+(\d+)/g)[1]);
  const added: string[] = [];
  const refs = notes.map(({ keys, look = '', lookKeys = '/BBox[0 0 20 20]' }) => {
    const number = size + added.length;
    const stream = `/Length ${look.length}>>\nstream\n${look}\nendstream`;
    added.push(
      `<</Type/Annot/P 3 0 R${keys.includes('/F ') ? '' : '/F 4'}${keys}${look && `/AP<</N ${number + 1} 0 R>>`}>>`,
      look ? `<</Type/XObject/Subtype/Form${lookKeys}${stream}` : '<<>>',
    );
    return `${number} 0 R`;
  });
  const rest = page.replace(/\/Annots\s*\[[^\]]*\]/, '').slice(0, -2);
  const bodies = [`${rest}/Annots[${[known.trim(), ...refs].join(' ').trim()}]>>`, ...added];
  const numbers = [3, ...added.map((_, index) => size + index)];
  let update = text.endsWith('\n') ? '' : '\n';
  const offsets = bodies.map((body, index) => {
    const offset = pdf.length + update.length;
    update += `${numbers[index]} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n\r\n`;
  });
  const section = pdf.length + update.length;
  update += `xref\n3 1\n${offsets[0]}${size} ${added.length}\n${offsets.slice(1).join('')}`;
  update += `trailer\n<</Root 1 0 R/Size ${size + added.length}/Prev ${previous}${id}>>\n`;
  return Buffer.concat([pdf, Buffer.from(`${update}startxref\n${section}\n%%EOF\n`, 'latin1')]);
}

/** Annotations beside the text of the page, which only Poppler draws over it. */
export const POPPLER_ONLY: Record<string, Note> = {
  'a highlight with an empty look': {
    keys: '/Subtype/Highlight/C[0 0 0]/Rect[30 480 48 490]/QuadPoints[45 515 120 515 45 495 120 495]',
    look: 'n',
  },
  'a look whose matrix is zero': {
    keys: '/Subtype/Circle/Rect[30 480 48 490]',
    look: '1 g 0 0 400 600 re f',
    lookKeys: '/BBox[-9999 -9999 9999 9999]/Matrix[0 0 0 0 0 0]',
  },
};
/** Poppler draws its frame, and PDFium its look. */
export const FRAMED_LINK: Note = {
  keys: '/Subtype/Link/Rect[48 480 80 490]/Border[0 0 50]/C[1 1 1]',
  look: 'n',
};
export const STAMP: Note = { keys: '/Subtype/Stamp/Rect[200 100 220 120]', look: '0 0 20 20 re f' };
