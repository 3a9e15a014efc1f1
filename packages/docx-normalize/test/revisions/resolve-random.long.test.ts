import { expect, test } from '@jest/globals';
import { del, ins, mark, p, run, WHO } from '@scriptorium/testing/fixtures/tracked-changes';
import { contentOf, documentOf, resolved } from './resolved.ts';

type Mode = 'final' | 'original';
type State = 'kept' | 'ins' | 'del' | 'both';

/** The same numbers for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const STATES: readonly State[] = ['kept', 'kept', 'ins', 'del', 'both'];
const stays = (state: State, mode: Mode) => state === 'kept' || state === (mode === 'final' ? 'ins' : 'del');

const INLINE: Record<State, (word: string) => string> = {
  kept: run,
  ins: (word) => ins(run(word)),
  del,
  both: (word) => ins(del(word)),
};
const MARKS: Record<State, string> = {
  kept: '',
  ins: mark('ins'),
  del: mark('del'),
  both: mark('ins', 'del'),
};
const CONTROL = (content: string) => `<w:sdt><w:sdtPr/><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
const RECORD = `<w:pPrChange ${WHO}><w:pPr><w:jc w:val="center"/></w:pPr></w:pPrChange>`;

interface Sample {
  body: string;
  /** The expected text of each paragraph. */
  lines: Record<Mode, string[]>;
}

/** A text of many paragraphs, and its result according to the standard. */
function sample(seed: number): Sample {
  const next = random(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const pieces: string[] = [];
  const lines: Sample['lines'] = { final: [], original: [] };
  const line = { final: '', original: '' };
  const modes = ['final', 'original'] as const;
  for (let paragraph = 0; paragraph < 12; paragraph++) {
    const isLast = paragraph === 11;
    const markState = isLast ? 'kept' : pick(STATES);
    let content = '';
    for (let word = 0; word < 4; word++) {
      const state = isLast ? 'kept' : pick(STATES);
      const text = `p${paragraph}w${word} `;
      const bookmark = `${paragraph}${word}`;
      const piece = INLINE[state](text);
      content += `<w:bookmarkStart w:id="${bookmark}" w:name="b${bookmark}"/>${next() < 0.2 ? CONTROL(piece) : piece}`;
      for (const mode of modes) if (stays(state, mode)) line[mode] += text;
    }
    // The bookmarks end elsewhere, so that they span changes and marks.
    for (let word = 0; word < 4; word++) {
      const end = `<w:bookmarkEnd w:id="${paragraph}${word}"/>`;
      content =
        next() < 0.5
          ? content + end
          : content.replace(new RegExp(`p${paragraph}w3 </w:\\w+></w:r>`), `$&${end}`);
    }
    pieces.push(p(content, `<w:keepNext/>${MARKS[markState]}${next() < 0.3 ? RECORD : ''}`));
    for (const mode of modes) {
      if (!stays(markState, mode)) continue;
      lines[mode].push(line[mode]);
      line[mode] = '';
    }
  }
  return { body: pieces.join(''), lines };
}

function paragraphsOf(body: string): string[] {
  const texts = body.split('</w:p>').slice(0, -1);
  return texts.map((xml) => [...xml.matchAll(/<w:t>([^<]*)</g)].map(([, text]) => text).join(''));
}

test('random mixtures of changes result in the paragraphs that the standard requires', async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const { body, lines } = sample(seed);
    for (const mode of ['final', 'original'] as const) {
      const xml = contentOf(await resolved(mode, documentOf(body)), 'body');
      expect({ seed, mode, lines: paragraphsOf(xml) }).toEqual({ seed, mode, lines: lines[mode] });
      expect(xml).not.toMatch(/<w:(ins|del|delText|pPrChange)\b/);
      const ids = (kind: string) =>
        [...xml.matchAll(new RegExp(`<w:bookmark${kind} w:id="(\\d+)"`, 'g'))].map(([, id]) => id).sort();
      expect(ids('Start')).toEqual(ids('End'));
    }
  }
});
