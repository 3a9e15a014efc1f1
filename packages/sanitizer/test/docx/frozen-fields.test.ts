import { describe, expect, it } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { field } from '@scriptorium/testing/fixtures/hostile/document';
import { templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { prepareDocx } from '../../src/sources/docx.ts';
import type { SourceOptions } from '../../src/sources/source.ts';

async function prepared(codes: readonly string[], updateFields: SourceOptions['updateFields']) {
  const document = templateOf(codes.map((code) => field(code)).join(''));
  const { bytes, facts } = await prepareDocx(document, { revisions: 'markup', updateFields });
  const xml = (await openPackage(bytes)).main.xml ?? '';
  return {
    shown: [...xml.matchAll(/<w:t>([^<]*)/g)].map(([, text]) => text),
    frozen: facts.frozenFields,
    xml,
  };
}

describe('an update of all fields', () => {
  it('keeps and counts what neither this service nor the engine computes', async () => {
    const codes = ['FILENAME', 'USERNAME', 'DOCPROPERTY Unknown', 'DOCVARIABLE Unknown', '= UNKNOWN(1)'];
    const more = ['= 1 / 0', 'IF 1 = ', 'NOTEREF nowhere', 'PRINTDATE'];
    const { shown, frozen, xml } = await prepared([...codes, ...more], 'all');
    expect(shown).toEqual(Array(9).fill('Last result'));
    expect(xml).not.toContain('instrText');
    const once = {
      FILENAME: 1,
      USERNAME: 1,
      DOCPROPERTY: 1,
      DOCVARIABLE: 1,
      IF: 1,
      NOTEREF: 1,
      PRINTDATE: 1,
    };
    expect(frozen).toEqual({ ...once, '=': 2 });
  });

  it('computes the others, and leaves to the engine those of the layout', async () => {
    const { xml, frozen } = await prepared(['= 1 + 1', 'PAGE', 'NUMPAGES', 'REF x', 'SECTIONPAGES'], 'all');
    expect(xml).toContain('<w:t xml:space="preserve">2</w:t>');
    expect(xml.match(/instrText[^>]*>([^<]*)/g)?.join()).toMatch(/>PAGE.*>NUMPAGES.*>REF x.*>NUMPAGES/);
    expect(frozen).toEqual({});
  });
});

it('fields keep their text without an update, and only those of time and place are counted', async () => {
  const { shown, frozen } = await prepared(['SAVEDATE', 'AUTHOR'], 'none');
  expect(shown).toEqual(['Last result', 'Last result']);
  expect(frozen).toEqual({ SAVEDATE: 1 });
});
