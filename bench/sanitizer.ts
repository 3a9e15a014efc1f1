/**
 * Takes each document of the threat table that the sanitizer refuses for its size. Prints the bytes that exceed the limit, the
 * result, and the milliseconds until the result.
 */
import { openPackage } from '@scriptorium/ooxml/package';
import { sanitizers } from '@scriptorium/sanitizer/docx';
import { HOSTILE } from '@scriptorium/testing/fixtures/hostile/table';

async function messageFor(bytes: Buffer): Promise<string> {
  return await openPackage(bytes, sanitizers()).then(
    ({ dropped }) => dropped.map(({ what, detail = '' }) => `without the ${what}: ${detail}`).join('; '),
    (error: Error) => error.message,
  );
}

const isBomb = ({ threat, expect }: (typeof HOSTILE)[number]) =>
  ('code' in expect && expect.code === 'DOCUMENT_TOO_COMPLEX') || (threat === 'T8' && 'dropped' in expect);

process.stdout.write('| document | bytes | answer | ms |\n| --- | --- | --- | --- |\n');
for (const { name, make } of HOSTILE.filter(isBomb)) {
  const bytes = make();
  const startedAt = performance.now();
  const message = await messageFor(bytes);
  const ms = (performance.now() - startedAt).toFixed(0);
  process.stdout.write(`| ${name} | ${bytes.length.toLocaleString('en-US')} | ${message} | ${ms} |\n`);
}
