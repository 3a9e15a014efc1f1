import { generation } from '@scriptorium/docx-generate/generation';
import type { Annotation } from '@scriptorium/docx-template/annotation';
import { minimalDocx } from '@scriptorium/ooxml/package';

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

/** Returns a request with fields that each thread runs before its first job. */
export function warmUpFields() {
  const ids = Array.from({ length: FIELDS }, (_, index) => [`${index + 1}`, `name${index + 1}`]).flat();
  const fields = ids.map((id) => ({ id, type: 'text', value: 'filled' }));
  const options: Annotation = { onMissing: 'error', flatten: false };
  return {
    source: template(),
    fields: Buffer.from(JSON.stringify(fields)),
    images: Buffer.alloc(0),
    options,
  };
}

const row = (text: string) => `<w:tr><w:tc><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc></w:tr>`;

/** The same with data: a table with a loop, a condition and values. */
export function warmUpData() {
  const paragraphs = '<w:p><w:r><w:t>{#shown}Dear {na</w:t></w:r><w:r><w:t>me}{/shown}</w:t></w:r></w:p>';
  const table = `<w:tbl>${row('{#items}{count} x {text}{/items}')}</w:tbl>`;
  const items = Array.from({ length: FIELDS }, (_, count) => ({ count, text: 'filled' }));
  return {
    source: minimalDocx(paragraphs + table),
    data: Buffer.from(JSON.stringify({ shown: true, name: 'filled', items })),
    images: Buffer.alloc(0),
    options: generation.parse({ onMissing: 'error' }),
  };
}
