import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { letter } from '../docx/documents.ts';
import { filesOf } from '../docx/judges.ts';
import { packed, replaceIn, resign, SIGNATURE } from '../docx/resigned.ts';
import { addPart, MAIN_RELS, R, relate, WORD } from './docx/changes.ts';
import { CONTENT } from './docx/content.ts';
import { DocxLab, evidenceOf, objectionsTo } from './docx/lab.ts';
import { LISTS } from './docx/lists.ts';
import { MARKUP } from './docx/markup.ts';

let lab: DocxLab;

beforeAll(() => {
  lab = new DocxLab();
});

afterAll(() => lab.close());

describe.each([
  ['content', CONTENT],
  ['markup', MARKUP],
  ['lists', LISTS],
])('attacks by %s', (_, attacks) => {
  test.each(few(attacks, 8, 12))('are detected if %s', async (_what, change, codes) => {
    const bytes = await lab.attacked(change);
    expect(await objectionsTo(bytes)).toEqual(codes);
    const { valid, verdict, reason, signatures } = await lab.verify(bytes);
    expect({ valid, verdict }).toEqual({ valid: false, verdict: 'invalid' });
    const reported = signatures[0]?.reasons
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
    // The policy adds the consequences of each of them.
    expect(new Set(reported?.filter((code) => code !== 'MODIFICATION_FORBIDDEN'))).toEqual(new Set(codes));
    expect(reason).toMatch(/^[A-Z].{10,}\.$/);
  });
});

describe('a changed part', () => {
  test('is reported with its path', async () => {
    const [signature] = await evidenceOf(
      await lab.attacked((files) => {
        replaceIn(files, 'word/styles.xml', '/>', ' />');
        replaceIn(files, MAIN_RELS, 'example.org', 'example.com');
        files.delete('word/media/image1.png');
        relate(files, MAIN_RELS, 'rId9', `${R}/footnotes`, 'footnotes.xml');
        addPart(files, 'word/footnotes.xml', '<a/>', `${WORD}.footnotes+xml`);
      }),
    );
    expect(signature?.modifications).toEqual(
      [
        ['word/_rels/document.xml.rels', '/word/_rels/document.xml.rels', 'RELATIONSHIP_CHANGED'],
        ['word/styles.xml', '/word/styles.xml', 'PART_CHANGED'],
        ['word/media/image1.png', '/word/media/image1.png', 'PART_REMOVED'],
        ['word/footnotes.xml', '/word/footnotes.xml', 'PART_ADDED'],
        ['word/_rels/document.xml.rels', '/word/_rels/document.xml.rels#rId9', 'RELATIONSHIP_CHANGED'],
      ].map(([object, path, code]) => ({ revision: 1, level: 'forbidden', object, path, code })),
    );
    expect(signature?.faults.map(({ message }) => message)).toContain(
      'The part /word/styles.xml was changed after signing.',
    );
  });

  testInWhole('is reported up to a limit, with text of the document made safe to display', async () => {
    const bytes = await lab.attacked((files) => {
      for (let n = 0; n < 2_000; n++)
        relate(
          files,
          MAIN_RELS,
          `a&#x202e;${'x'.repeat(500)}${n}`,
          `${R}/hyperlink`,
          'https://example.com',
          'External',
        );
    });
    const [signature] = await evidenceOf(bytes);
    expect(signature?.faults.length).toBeLessThan(20);
    expect(signature?.modifications.length).toBeLessThanOrEqual(1_000);
    for (const { message } of signature?.faults ?? []) expect(message).not.toMatch(/\p{C}|x{101}/u);
  });
});

test('a signature copied into another document is invalid there', async () => {
  const files = await filesOf(await lab.sign());
  const other = await filesOf(await lab.sign(letter('Dear Bob')));
  other.set(SIGNATURE, files.get(SIGNATURE) ?? Buffer.alloc(0));
  expect(await objectionsTo(packed(other))).toEqual(['DIGEST_MISMATCH']);
});

describe('the verifier of a DOCX', () => {
  test('leaves a signature with weak algorithms undecided', async () => {
    const sha1 = await lab.attacked((files, signer) => {
      const styles = files.get('word/styles.xml') ?? Buffer.alloc(0);
      const digest = createHash('sha1').update(styles).digest('base64');
      return resign(files, signer, (xml) =>
        xml.replace(
          /(styles\+xml"><DigestMethod Algorithm=")[^"]*("><\/DigestMethod><DigestValue>)[^<]*/,
          `$1http://www.w3.org/2000/09/xmldsig#sha1$2${digest}`,
        ),
      );
    });
    const short = await lab.sign(letter(), { signer: lab.keys.signer('rsa-1024') });
    for (const bytes of [sha1, short]) {
      expect(await objectionsTo(bytes)).toEqual(['WEAK_ALGORITHM']);
      expect((await lab.verify(bytes)).verdict).toBe('indeterminate');
    }
  });

  test('leaves a signature with unknown algorithms undecided, regardless of other faults', async () => {
    const method = await lab.attacked((files) =>
      replaceIn(files, SIGNATURE, 'xmldsig-more#rsa-sha256', 'xmldsig-more#rsa-ripemd160'),
    );
    const digest = await lab.attacked((files, signer) =>
      resign(files, signer, (xml) =>
        xml.replace(/(styles\+xml"><DigestMethod Algorithm=")[^"]*/, '$1urn:crc32'),
      ),
    );
    for (const bytes of [method, digest]) {
      expect(await objectionsTo(bytes)).toEqual(['ALGORITHM_UNSUPPORTED']);
      expect((await lab.verify(bytes)).verdict).toBe('indeterminate');
    }
  });
});

test('signatures with too much markup are rejected', async () => {
  const bytes = await lab.attacked((files) =>
    replaceIn(files, SIGNATURE, '</SignatureComments>', `${'<a/>'.repeat(500_000)}</SignatureComments>`),
  );
  await expect(evidenceOf(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
});
