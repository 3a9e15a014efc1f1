import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { EngineError } from '../../src/engines/engine.ts';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';

/**
 * full-disk.ts DIR: converts a document below DIR, a file system of its own. DIR first has room, then room for the document but
 * not for the result, and then none. Prints the outcomes as JSON.
 */
const [, , root = ''] = process.argv;
const LEFT_BYTES = 64 * 1024;

const engine = new LibreOfficeKitEngine({ zygotes: 1, workRoot: root });
await engine.start();
const letter = docxWith(Array.from({ length: 3_000 }, (_, i) => `Line ${i} of a letter with many words.`));
const attempt = async (): Promise<string> => {
  try {
    const run = { timeoutMs: 150_000, signal: new AbortController().signal };
    const { bytes } = await engine.convert(letter, { from: 'docx', to: 'pdf' }, run);
    return bytes.subarray(0, 4).toString();
  } catch (error) {
    return error instanceof EngineError ? error.kind : String(error);
  }
};
const outcomes = [await attempt()];
const { bavail, bsize } = statfsSync(root);
writeFileSync(join(root, 'filler'), Buffer.alloc(bavail * bsize - LEFT_BYTES));
outcomes.push(await attempt(), await attempt());
rmSync(join(root, 'filler'));
outcomes.push(await attempt());
process.stdout.write(JSON.stringify(outcomes));
await engine.close();
