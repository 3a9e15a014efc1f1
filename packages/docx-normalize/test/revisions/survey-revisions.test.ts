import { expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { del, ins, mark, p, run, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { surveyRevisions } from '../../src/revisions/survey-revisions.ts';
import { documentOf, wordXml } from './resolved.ts';

test('surveyRevisions counts insertions, deletions, moves, formatting changes and comments in all parts', async () => {
  const move = (name: string) =>
    `<w:${name}RangeStart ${WHO} w:name="m"/><w:${name} ${WHO}>${run('m')}</w:${name}><w:${name}RangeEnd w:id="1"/>`;
  const bold = `<w:r><w:rPr><w:b/><w:rPrChange ${WHO}><w:rPr/></w:rPrChange></w:rPr><w:t>b</w:t></w:r>`;
  const document = documentOf(
    p(ins(run('a')) + del('b') + bold, mark('ins')) + p(move('moveFrom') + move('moveTo')),
    {
      header: wordXml('hdr', p(del('c'))),
      comments: wordXml(
        'comments',
        `<w:comment w:id="0">${p(run('x'))}</w:comment><w:comment w:id="1">${p('')}</w:comment>`,
      ),
    },
  );
  const survey = surveyRevisions();
  await openPackage(document, [survey]);
  expect(survey.counts).toEqual({ insertions: 2, deletions: 2, moves: 1, formatting: 1, comments: 2 });
});

test('surveyRevisions counts a move without a range', async () => {
  const survey = surveyRevisions();
  await openPackage(documentOf(p(`<w:moveTo ${WHO}>${run('m')}</w:moveTo>`)), [survey]);
  expect(survey.counts.moves).toBe(1);
});

test('surveyRevisions counts nothing in a document without changes and comments', async () => {
  const survey = surveyRevisions();
  await openPackage(docxWith(['text']), [survey]);
  expect(survey.counts).toEqual({ insertions: 0, deletions: 0, moves: 0, formatting: 0, comments: 0 });
});
