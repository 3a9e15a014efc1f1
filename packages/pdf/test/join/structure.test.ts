import { describe, expect, it } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { Dict, Name, PdfString, type PdfValue, type Ref } from '../../src/read/values.ts';
import { followed, joined, pagesOf } from './joined.ts';

interface TaggedOptions {
  roles?: string;
  lang?: string;
  /** The type of the paragraph. */
  type?: string;
  classes?: string;
  content?: string;
}

/** A page with a paragraph and a link, and a table cell with a header, all tagged. */
function tagged({
  roles = '',
  lang = 'en',
  type = 'P',
  classes = '',
  content = 'a',
}: TaggedOptions = {}): Buffer {
  return classicPdf([
    `<</Type/Catalog/Pages 2 0 R/Lang(${lang})/MarkInfo<</Marked true>>/StructTreeRoot 5 0 R>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 600]>>',
    '<</Type/Page/Parent 2 0 R/Contents 4 0 R/StructParents 7/Annots[10 0 R]>>',
    streamBody('', Buffer.from(`/P<</MCID 0>>BDC EMC /P<</MCID 1>>BDC EMC % ${content}`)),
    `<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[7[8 0 R 9 0 R]9 8 0 R]>>/RoleMap<<${roles}>>/ClassMap<<${classes}>>>>`,
    '<</Type/StructElem/S/Document/P 5 0 R/K[8 0 R 9 0 R]>>',
    'null',
    `<</Type/StructElem/S/${type}/P 6 0 R/Pg 3 0 R/ID(cell)/C/look/K[0<</Type/OBJR/Obj 10 0 R/Pg 3 0 R>>]>>`,
    '<</Type/StructElem/S/TD/P 6 0 R/Pg 3 0 R/K 1/A<</O/Table/Headers[(cell)]>>>>',
    '<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/StructParent 9>>',
  ]);
}

type Joined = Awaited<ReturnType<typeof joined>>;

/** What the parent tree has under a key. */
function parentOf({ at }: Joined, key: PdfValue): PdfValue {
  const nums = at('StructTreeRoot', 'ParentTree', 'Nums') as PdfValue[];
  const place = nums.indexOf(key);
  return place % 2 === 0 ? at('StructTreeRoot', 'ParentTree', 'Nums', place + 1) : null;
}

const at = ({ document }: Joined, from: PdfValue, ...path: (string | number)[]): PdfValue =>
  followed(document, from, path);

/** The elements of each page's two marked contents. */
const elementsOf = (result: Joined): PdfValue[][] =>
  pagesOf(result.document).map((page) => {
    const elements = parentOf(result, at(result, page, 'StructParents'));
    return [0, 1].map((mcid) => at(result, elements, mcid));
  });

const nameOf = (value: PdfValue): string => (value instanceof Name ? value.text : String(value));

/** The standard type that a type means. */
function meaning({ at }: Joined, type: string): string {
  const mapped = at('StructTreeRoot', 'RoleMap', type);
  return mapped instanceof Name ? meaning({ at } as Joined, mapped.text) : type;
}

describe('structure', () => {
  it('of each document belongs to its own pages and links', async () => {
    const result = await joined([{ bytes: tagged() }, { bytes: plainPdf() }, { bytes: tagged() }]);
    const { document } = result;
    const pages = pagesOf(document);
    for (const place of [0, 2]) {
      const page = pages[place];
      const [paragraph, cell] = elementsOf(result)[place] ?? [];
      for (const [mcid, element] of [paragraph, cell].entries()) {
        expect(element instanceof Dict && String(element.get('Pg'))).toBe(String(page));
        const kids = at(result, element ?? null, 'K');
        expect(Array.isArray(kids) ? kids[0] : kids).toBe(mcid);
      }
      const link = at(result, page ?? null, 'Annots', 0);
      expect(parentOf(result, at(result, link, 'StructParent'))).toBe(paragraph);
      expect(at(result, paragraph ?? null, 'K', 1, 'Obj')).toBe(link);
    }
    expect(at(result, pages[1] ?? null, 'StructParents')).toBeNull();
    expect(result.at('MarkInfo')).toBeNull();
  });

  it('is one tree, in which each element has its parent', async () => {
    const result = await joined([{ bytes: tagged() }, { bytes: tagged({ lang: 'de' }) }]);
    const root = result.at('StructTreeRoot');
    const top = result.at('StructTreeRoot', 'K', 0);
    expect([nameOf(at(result, top, 'S')), at(result, top, 'P')]).toEqual(['Document', root]);
    const documents = (at(result, top, 'K') as PdfValue[]).map((kid) => result.document.resolve(kid));
    expect(documents.map((item) => (at(result, item, 'Lang') as PdfString).text)).toEqual(['en', 'de']);
    for (const item of documents) {
      expect(at(result, item, 'P')).toBe(top);
      for (const kid of at(result, item, 'K') as Ref[]) expect(at(result, kid, 'P')).toBe(item);
    }
    expect(result.at('MarkInfo', 'Marked')).toBe(true);
    const [first, second] = [0, 1].map((page) => elementsOf(result)[page]?.[0] ?? null);
    expect(first).not.toBe(second);
  });

  it('keeps the meaning of each role, whatever other documents mean by it', async () => {
    const sources: [TaggedOptions, string][] = [
      [{ type: 'Standard', roles: '/Standard/P' }, 'P'],
      [{ type: 'Standard', roles: '/Standard/H1' }, 'H1'],
      [{ type: 'Standard' }, 'unmapped'],
      [{ type: 'P', roles: '/P/H2' }, 'H2'],
      [{ type: 'P' }, 'P'],
      [{ type: 'Standard', roles: '/Standard/Other/Other/H1' }, 'H1'],
      [{ type: 'Standard', roles: '/Standard/P' }, 'P'],
      [{ type: 'Ring', roles: '/Ring/Round/Round/Ring' }, 'unmapped'],
    ];
    const result = await joined(sources.map(([options]) => ({ bytes: tagged(options) })));
    const types = elementsOf(result).map(([paragraph]) => nameOf(at(result, paragraph ?? null, 'S')));
    const meanings = types.map((type) => meaning(result, type));
    for (const [place, [, expected]] of sources.entries()) {
      if (expected === 'unmapped') expect(['P', 'H1', 'H2']).not.toContain(meanings[place]);
      else expect(meanings[place]).toBe(expected);
    }
    expect(types[6]).toBe(types[0]);
  });

  it('keeps classes, identifiers and header cells apart', async () => {
    const classes = (height: number) => `/look<</O/Layout/Height ${height}>>`;
    const result = await joined(
      [10, 20, 10].map((height) => ({ bytes: tagged({ classes: classes(height) }) })),
    );
    const elements = elementsOf(result);
    const heights = elements.map(([paragraph]) => {
      const name = nameOf(at(result, paragraph ?? null, 'C'));
      return result.at('StructTreeRoot', 'ClassMap', name, 'Height');
    });
    expect(heights).toEqual([10, 20, 10]);
    const ids = elements.map(([paragraph]) => (at(result, paragraph ?? null, 'ID') as PdfString).text);
    expect(new Set(ids).size).toBe(3);
    const headers = elements.map(
      ([, cell]) => (at(result, cell ?? null, 'A', 'Headers', 0) as PdfString).text,
    );
    expect(headers).toEqual(ids);
    const tree = result.at('StructTreeRoot', 'IDTree', 'Names') as PdfValue[];
    for (const [place, id] of ids.entries()) {
      const found = tree.findIndex((item) => item instanceof PdfString && item.text === id);
      expect(result.document.resolve(tree[found + 1] ?? null)).toBe(elements[place]?.[0]);
    }
  });
});
