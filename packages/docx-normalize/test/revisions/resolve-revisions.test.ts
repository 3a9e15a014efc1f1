import { describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { del, ins, p, run, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { resolveRevisions } from '../../src/revisions/resolve-revisions.ts';
import { contentOf, documentOf, resolved, wordXml } from './resolved.ts';

describe('a document', () => {
  test('has no tracked changes left in any part', async () => {
    const text = p(run('a') + ins(run('b')) + del('c'));
    const document = documentOf(text, {
      header: wordXml('hdr', text),
      footnotes: wordXml('footnotes', `<w:footnote w:id="1">${text}</w:footnote>`),
      styles: wordXml(
        'styles',
        `<w:style><w:rPr><w:b/><w:rPrChange ${WHO}><w:rPr/></w:rPrChange></w:rPr></w:style>`,
      ),
      settings: wordXml('settings', '<w:trackRevisions/><w:rsids/>'),
    });
    const final = await resolved('final', document);
    expect(contentOf(final, 'hdr', 'word/header.xml')).toBe(p(run('a') + run('b')));
    expect(contentOf(final, 'footnote ', 'word/footnotes.xml')).toContain(p(run('a') + run('b')));
    expect(contentOf(final, 'style>', 'word/styles.xml')).toContain('<w:rPr><w:b/></w:rPr>');
    expect(contentOf(final, 'settings', 'word/settings.xml')).toBe('<w:rsids/>');
    const original = await resolved('original', document);
    expect(contentOf(original, 'hdr', 'word/header.xml')).toBe(p(run('a') + run('c')));
    expect(contentOf(original, 'styles', 'word/styles.xml')).toContain('<w:rPr></w:rPr>');
  });

  test('loses a footnote with a deleted reference', async () => {
    const reference = (id: number) => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const note = (id: number) => `<w:footnote w:id="${id}">${p(run(`note ${id}`))}</w:footnote>`;
    const body = p(`${reference(1)}<w:del ${WHO}>${reference(2)}</w:del>${reference(3)}`);
    const document = documentOf(body, {
      footnotes: wordXml('footnotes', note(0) + note(1) + note(2) + note(3)),
    });
    const final = await resolved('final', document);
    expect(contentOf(final, 'footnotes', 'word/footnotes.xml')).toBe(note(0) + note(1) + note(3));
    const original = await resolved('original', document);
    expect(contentOf(original, 'footnotes', 'word/footnotes.xml')).toContain(note(2));
  });

  test('without tracked changes does not change', async () => {
    const document = await openPackage(docxWith(['inserted <w:ins> text']), [resolveRevisions('final')]);
    expect([...document.parts.values()].flatMap(({ edits }) => edits)).toEqual([]);
  });
});
