import { describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { hostileSources } from '@scriptorium/testing/fixtures/hostile/sources';
import { prepare, refusal } from './sanitizer-under-test.ts';

const TARGETS = { origin: 'http://127.0.0.1:9', directory: '/nowhere' };

/** All files of an archive as one text. */
async function contentOf(bytes: Buffer): Promise<string> {
  const budget = new Budget();
  const archive = await readArchive(bytes, budget);
  return [...archive.values()].map((entry) => unpackEntry(entry, budget).toString()).join('\n');
}

describe('the sanitizer of spreadsheets and presentations removes and reports', () => {
  const documents = hostileSources(TARGETS).map(
    (document) => [`${document.from}: ${document.name}`, document] as const,
  );

  test.each(documents)('%s', async (_name, { from, make, expect: wanted, gone = [] }) => {
    if ('code' in wanted) {
      expect((await refusal(from, make())).code).toBe(wanted.code);
      return;
    }
    const { bytes, dropped } = await prepare(from, make());
    expect(dropped.map(({ what }) => what)).toEqual(expect.arrayContaining([...wanted.dropped]));
    const content = await contentOf(bytes);
    for (const text of [...gone, TARGETS.origin, TARGETS.directory]) expect(content).not.toContain(text);
    // What was rewritten is understood again, and has nothing more to remove.
    expect((await prepare(from, bytes)).dropped).toEqual([]);
  });
});
