import { minimalDocx } from '@scriptorium/ooxml/package';
import type { FillRequest } from './annotate-threads.ts';

/** Number of content controls, and of placeholders. */
const FIELDS = 20;

function control(id: number): string {
  return (
    `<w:p><w:sdt><w:sdtPr><w:id w:val="${id}"/><w:text/></w:sdtPr>` +
    '<w:sdtContent><w:r><w:rPr><w:b/></w:rPr><w:t>prompt</w:t></w:r></w:sdtContent></w:sdt></w:p>'
  );
}

function placeholder(id: number): string {
  return `<w:p><w:r><w:t>Dear {name</w:t></w:r><w:r><w:t>${id}}</w:t></w:r></w:p>`;
}

function template(): Buffer {
  const numbers = Array.from({ length: FIELDS }, (_, index) => index + 1);
  const body = numbers.map((number) => control(number) + placeholder(number)).join('');
  return minimalDocx(body);
}

/** Returns a request that each thread runs before its first job. */
export function warmUpRequest(): FillRequest {
  const ids = Array.from({ length: FIELDS }, (_, index) => [`${index + 1}`, `name${index + 1}`]).flat();
  const fields = ids.map((id) => ({ id, type: 'text', value: 'filled' }));
  return {
    source: template(),
    fields: Buffer.from(JSON.stringify(fields)),
    images: Buffer.alloc(0),
    options: { onMissing: 'error', flatten: false },
  };
}
