import { describe, expect, test } from '@jest/globals';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { openPackage, writePackage } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { few, testInNightly, testInWhole } from '@scriptorium/testing/extent';
import type { Answer } from '@scriptorium/testing/fixtures/hostile/document';
import { HOSTILE } from '@scriptorium/testing/fixtures/hostile/table';
import { sanitizers } from '../../src/docx/steps.ts';
import { SanitizerError } from '../../src/sanitizer-error.ts';

const MIB = 1024 * 1024;
/** A bomb is rejected in a fifth of a second. The rest is a margin for a busy machine. */
const BOMB_CPU_MS_MAX = 200 * 10;
/** A larger file may take as long as reading it. */
const CPU_MS_MAX_A_MIB = 300;
const MEMORY_BYTES_MAX = 700 * MIB;

function open(bytes: Uint8Array) {
  return openPackage(bytes, sanitizers());
}

async function answerTo(bytes: Uint8Array): Promise<{ answer: Answer; message: string; cpuMs: number }> {
  const startedAt = process.cpuUsage();
  try {
    const document = await open(bytes);
    const kinds = [...new Set(document.dropped.map(({ what }) => what))];
    const answer = kinds.length === 0 ? ({ accepted: true } as const) : { dropped: kinds };
    return { answer, message: '', cpuMs: cpuMsSince(startedAt) };
  } catch (error) {
    if (!(error instanceof OoxmlError || error instanceof SanitizerError)) throw error;
    return { answer: { code: error.code }, message: error.message, cpuMs: cpuMsSince(startedAt) };
  }
}

const threats = [...new Set(HOSTILE.map(({ threat }) => threat))].toSorted();

describe.each(threats)('the sanitizer on %s', (threat) => {
  const documents = HOSTILE.filter((document) => document.threat === threat);

  test.each(few(documents, 12, 12).map((document) => [document.name, document] as const))(
    '%s',
    async (_name, document) => {
      const bytes = document.make();
      const { answer, message, cpuMs } = await answerTo(bytes);
      expect(answer).toEqual(document.expect);
      if ('code' in answer) {
        // The message is a sentence that is safe to display.
        expect(message).toMatch(/^[\x20-\x7e\u2019]{20,300}\.$/);
        const cpuMsMax = Math.max(BOMB_CPU_MS_MAX, (CPU_MS_MAX_A_MIB * bytes.length) / MIB);
        // Other work on the machine can slow down one run, but hardly five.
        const runs = [cpuMs];
        while (Math.min(...runs) >= cpuMsMax && runs.length < 5) runs.push((await answerTo(bytes)).cpuMs);
        expect(Math.min(...runs)).toBeLessThan(cpuMsMax);
      }
    },
  );
});

describe('a sanitized document', () => {
  const accepted = HOSTILE.filter(({ threat, expect: answer }) => !('code' in answer) && threat !== 'T10');

  testInWhole('passes the sanitizer again unchanged', async () => {
    for (const { name, make } of few(accepted, 0, 15)) {
      const once = await open(make());
      const bytes = writePackage(once, { isCompressed: true });
      const twice = await open(bytes);
      expect([name, twice.dropped]).toEqual([name, []]);
      expect([name, [...twice.parts.keys()].toSorted()]).toEqual([name, [...reachable(once)].toSorted()]);
    }
  });

  test('contains no part of a removed address', async () => {
    const outside = HOSTILE.filter(({ threat }) => ['T1', 'T2', 'T5'].includes(threat));
    for (const { name, make, expect: answer } of outside) {
      if (!('dropped' in answer)) continue;
      const document = await open(make());
      const written = writePackage(document, { isCompressed: false }).toString('latin1');
      expect([name, /127\.0\.0\.1:9|\/nowhere\/canary/.exec(written)?.[0]]).toEqual([name, undefined]);
    }
  });
});

/** Parts that are still targets of relationships. */
function reachable({ parts, relationships }: Awaited<ReturnType<typeof open>>): Set<string> {
  const found = new Set<string>();
  const queue = [...relationships.list];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (next.part === undefined || found.has(next.part)) continue;
    found.add(next.part);
    queue.push(...(parts.get(next.part)?.relationships.list ?? []));
  }
  return found;
}

describe('memory', () => {
  testInNightly('stays within bounds while bombs are rejected', async () => {
    const bombs = HOSTILE.filter(
      ({ expect: answer }) => 'code' in answer && answer.code === 'DOCUMENT_TOO_COMPLEX',
    );
    const documents = bombs.map(({ make }) => make());
    const before = process.resourceUsage().maxRSS;
    for (const bytes of documents) await answerTo(bytes);
    expect((process.resourceUsage().maxRSS - before) * 1024).toBeLessThan(MEMORY_BYTES_MAX);
  });
});
