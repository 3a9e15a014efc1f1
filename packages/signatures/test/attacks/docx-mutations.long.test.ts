import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import { isReservedName, readWrittenTypes } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { transformRelationships } from '../../src/opc/relationship-transform.ts';
import { SignatureError } from '../../src/signature-error.ts';
import { letter } from '../docx/documents.ts';
import { filesOf } from '../docx/judges.ts';
import { type Files, packed, SIGNATURE } from '../docx/resigned.ts';
import { TYPES } from './docx/changes.ts';
import { DocxLab, evidenceOf, objectionsTo } from './docx/lab.ts';

const MUTATIONS = 400;
const CPU_MS_MAX = 5_000;

let lab: DocxLab;

beforeAll(() => {
  lab = new DocxLab();
});

afterAll(() => lab.close());

/** Returns the same numbers in each run, so that a failure is reproducible. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function mutateBytes(data: Buffer, next: (bound: number) => number): Buffer {
  const at = next(data.length + 1);
  const some = Buffer.from(
    [...'<>/="\'& a0\0\xff']
      .slice(next(12))
      .join('')
      .slice(0, 1 + next(3)),
    'latin1',
  );
  switch (next(4)) {
    case 0: {
      const changed = Buffer.from(data);
      if (at < data.length) changed[at] = (changed[at] ?? 0) ^ (1 << next(8));
      return changed;
    }
    case 1:
      return Buffer.concat([data.subarray(0, at), some, data.subarray(at)]);
    case 2:
      return Buffer.concat([data.subarray(0, at), data.subarray(at + 1 + next(20))]);
    default: {
      const end = Math.min(data.length, at + 1 + next(200));
      return Buffer.concat([data.subarray(0, end), data.subarray(at)]);
    }
  }
}

function mutateName(name: string, next: (bound: number) => number): string {
  const at = next(name.length);
  const letterThere = name.charAt(at);
  const others = [
    letterThere.toUpperCase(),
    `%${letterThere.charCodeAt(0).toString(16)}`,
    `${letterThere}/`,
    '',
    'x',
  ];
  return name.slice(0, at) + others[next(others.length)] + name.slice(at + 1);
}

interface Mutation {
  name: string;
  isRenamed: boolean;
  files: Files;
}

function mutate(files: Files, next: (bound: number) => number): Mutation | undefined {
  const names = [...files.keys()];
  const name = names[next(names.length)] ?? '';
  const data = files.get(name) ?? Buffer.alloc(0);
  const isRenamed = next(5) === 0;
  const changed = isRenamed ? data : mutateBytes(data, next);
  const otherName = isRenamed ? mutateName(name, next) : name;
  if (otherName === name && changed.equals(data)) return undefined;
  const entries = [...files].map(([each, bytes]): [string, Buffer] =>
    each === name ? [otherName, changed] : [each, bytes],
  );
  return { name, isRenamed, files: new Map(entries) };
}

/** Returns the meaning of a file regardless of its form; for a part of the text, its bytes. */
function meaningOf(files: Files, name: string): string {
  const text = files.get(name)?.toString() ?? '';
  if (name === TYPES) {
    const typeOf = readWrittenTypes(text, { budget: new Budget(), part: name });
    // The relationships under this name apply for every reader, or for none.
    const names = [...files.keys()].filter(
      (each) => !isReservedName(each) && !each.startsWith('_xmlsignatures/'),
    );
    return JSON.stringify(names.map((each) => typeOf(each).toLowerCase()));
  }
  if (!isReservedName(name)) return files.get(name)?.toString('latin1') ?? '';
  const relationships = text.replace(/<Relationship\s[^>]*digital-signature\/origin[^>]*>/, '');
  const ids = [...relationships.matchAll(/\sId\s*=\s*["']([^"']*)/g)].map(([, id = '']) => id);
  return transformRelationships(text, { ids: new Set(ids), types: new Set() }, name);
}

/** Returns what a mutation must not change unnoticed: the evidence of a signature, the meaning of other files. */
async function seen(files: Files, name: string): Promise<unknown> {
  // Readers ignore the content of the origin, and use its relationships only for their targets.
  if (name.startsWith('_xmlsignatures/') && name !== SIGNATURE)
    return (await evidenceOf(packed(files))).map(({ id }) => id);
  if (name !== SIGNATURE) return meaningOf(files, name);
  return (await evidenceOf(packed(files))).map(({ core, claimedSigningTime }) => [
    core?.signer?.der.toString('hex'),
    claimedSigningTime,
  ]);
}

async function outcome(bytes: Buffer): Promise<string[]> {
  try {
    // A document without any signature cannot pass for signed.
    if ((await evidenceOf(bytes)).length === 0) return ['unsigned'];
    const objections = await objectionsTo(bytes);
    expect((await lab.verify(bytes)).valid).toBe(objections.length === 0);
    return objections;
  } catch (error) {
    if (error instanceof OoxmlError || error instanceof SignatureError) return [error.code];
    throw error;
  }
}

test('changes of a signed document do not go unnoticed, crash the reader, or take it long', async () => {
  const original = await filesOf(await lab.sign(letter(), { auditTrail: '{"id":"1"}' }));
  const next = numbers(20_260_304);
  for (let number = 0; number < MUTATIONS; number++) {
    const mutation = mutate(original, next);
    if (mutation === undefined) continue;
    const { name, isRenamed, files } = mutation;
    const startedAt = process.cpuUsage();
    const objections = await outcome(packed(files));
    expect(cpuMsSince(startedAt)).toBeLessThan(CPU_MS_MAX);
    if (objections.length > 0) continue;
    const context = `mutation ${number} of ${name}`;
    // No signature covers these; readers find them regardless of case.
    if (isRenamed) expect(name).toMatch(/^_xmlsignatures\/|^\[Content_Types\]/);
    else expect([context, await seen(files, name)]).toEqual([context, await seen(original, name)]);
  }
});
