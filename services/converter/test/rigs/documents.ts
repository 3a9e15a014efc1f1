import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { escapeXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
export const NAMESPACES = `xmlns:w="${OFFICE}/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIP}"`;

const run = (xml: string) => `<w:r>${xml}</w:r>`;
const text = (value: string) => run(`<w:t xml:space="preserve">${escapeXml(value)}</w:t>`);
const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const fieldMark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
const PAGE_BREAK = paragraph(run('<w:br w:type="page"/>'));
const HEADING = '<w:pStyle w:val="Heading1"/>';

const STYLES = `<w:styles ${NAMESPACES}>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>
<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style></w:styles>`;

interface NamedPart {
  name: string;
  /** The last word of its content type and of its relationship's type. */
  kind: string;
  data: string;
}

/** An A4 DOCX with this body, and parts beside the main one, from `rId2` on, unless styles are among them. */
export function docxOf(body: string, parts: NamedPart[] = [], section = ''): Buffer {
  const own = parts.some(({ kind }) => kind === 'styles');
  const all = own ? parts : [{ name: 'styles.xml', kind: 'styles', data: STYLES }, ...parts];
  const mainXml = `<w:document ${NAMESPACES}><w:body>${body}<w:sectPr>${section}<w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>`;
  const links = all.map(
    ({ name, kind }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIP}/${kind}" Target="${name}"/>`,
  );
  const types = all.map(
    ({ name, kind }) => `<Override PartName="/word/${name}" ContentType="${WORD_TYPE}.${kind}+xml"/>`,
  );
  const relationships = `<Relationships xmlns="${OFFICE}/package/2006/relationships">${links.join('')}</Relationships>`;
  const entries = packageEntries({
    mainXml,
    parts: [
      { name: 'word/_rels/document.xml.rels', data: relationships },
      ...all.map(({ name, data }) => ({ name: `word/${name}`, data })),
    ],
  });
  return zip(
    entries.map((entry) =>
      entry.name === '[Content_Types].xml'
        ? { ...entry, data: String(entry.data).replace('<Override', `${types.join('')}<Override`) }
        : entry,
    ),
  );
}

/** A page for each of the texts. */
export function pagesOfText(texts: readonly string[]): Buffer {
  return docxOf(texts.map((value) => paragraph(text(value))).join(PAGE_BREAK));
}

/**
 * A table of contents without its headings, and the headings on a page each; `isWrapped` adds Word's content control
 * around the table. An outdated date and counter precede the first heading.
 */
export function documentWithStaleContents(
  headings: readonly string[],
  { isWrapped }: { isWrapped: boolean },
): Buffer {
  const toc =
    paragraph(
      `${fieldMark('begin')}${run('<w:instrText xml:space="preserve"> TOC \\o "1-3" \\h \\z \\u </w:instrText>')}` +
        `${fieldMark('separate')}${text('Stale heading')}${run('<w:tab/>')}${text('77')}`,
    ) + paragraph(fieldMark('end'));
  const wrapped =
    '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj></w:sdtPr>' +
    `<w:sdtContent>${toc}</w:sdtContent></w:sdt>`;
  const saved = paragraph(
    `${text('Saved: ')}<w:fldSimple w:instr=" SAVEDATE \\@ &quot;yyyy&quot; ">${text('1999')}</w:fldSimple>`,
  );
  const chapters = headings.map((heading) => PAGE_BREAK + paragraph(text(heading), HEADING));
  return docxOf((isWrapped ? wrapped : toc) + saved + chapters.join(''));
}

/** A text with a comment on it. */
export function documentWithComment(words: string, comment: string): Buffer {
  const data = `<w:comments ${NAMESPACES}><w:comment w:id="0" w:author="Ann" w:date="2024-01-01T00:00:00Z">${paragraph(text(comment))}</w:comment></w:comments>`;
  const body = paragraph(
    `<w:commentRangeStart w:id="0"/>${text(words)}<w:commentRangeEnd w:id="0"/>${run('<w:commentReference w:id="0"/>')}`,
  );
  return docxOf(body, [{ name: 'comments.xml', kind: 'comments', data }]);
}

/** A word in each of the fonts, on a page each. */
export function documentInFonts(families: readonly string[], word = 'Handgloves'): Buffer {
  const words = families.map((family) =>
    paragraph(
      run(
        `<w:rPr><w:rFonts w:ascii="${family}" w:hAnsi="${family}" w:cs="${family}"/></w:rPr><w:t>${word}</w:t>`,
      ),
    ),
  );
  return docxOf(words.join(PAGE_BREAK));
}

export const rtfWith = (words: string) =>
  Buffer.from(`{\\rtf1\\ansi{\\fonttbl{\\f0 Liberation Serif;}}\\f0 ${words}\\par}`);

/** A PNG of one red pixel. */
export const RED_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

export const htmlWith = (words: string) =>
  Buffer.from(
    `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body><h1>${words}</h1>` +
      `<p><img src="data:image/png;base64,${RED_PIXEL}" width="100" height="100" alt="red"></p></body></html>`,
  );

/** The same words as DOC and ODT, which only an office program can write. */
export async function writtenByOffice(words: string): Promise<{ doc: Buffer; odt: Buffer }> {
  const engine = new LibreOfficeKitEngine({ zygotes: 1 });
  await engine.start();
  const once = { timeoutMs: 150_000, signal: new AbortController().signal };
  try {
    const source = pagesOfText([words]);
    return {
      doc: await engine.writeAs('doc', source, once),
      odt: await engine.writeAs('odt', source, once),
    };
  } finally {
    await engine.close();
  }
}

/** One part of an archive, as text. */
export async function partOf(archive: Buffer, part: string): Promise<string> {
  const budget = new Budget();
  const entry = (await readArchive(archive, budget)).get(part);
  return entry === undefined ? '' : unpackEntry(entry, budget).toString();
}

/** Width and height in pixels (PNG, third edition, §11.2.1). */
export function pngSize(png: Buffer): { width: number; height: number } {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
