import { ChangeHistory, modificationsAfter } from '@scriptorium/pdf/changes';
import { Dict, openPdf, type PdfDocument, Ref } from '@scriptorium/pdf/read';
import { editDict, Update } from '@scriptorium/pdf/update';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { asPermittedChanges, type Permissions } from '../../src/pades/signature-permissions.ts';

/** The history of a document, given its bytes after each revision. */
export function historyOf(...files: readonly Buffer[]): ChangeHistory {
  return new ChangeHistory(
    files.map((file, index) => ({
      number: index + 1,
      end: file.length,
      document: openPdf(file).document,
    })),
    // The stores of these tests hold texts.
    () => true,
  );
}

const ANYTHING: Permissions = { locks: [] };

/** The changes of `signed` by later revisions, as sorted `LEVEL CODE` strings. */
export function verdicts(
  signed: Buffer,
  later: Buffer | readonly Buffer[],
  permissions: Permissions = ANYTHING,
): string[] {
  const files = Buffer.isBuffer(later) ? [later] : later;
  return modificationsAfter(historyOf(signed, ...files), 1, asPermittedChanges(permissions))
    .map(({ level, code }) => `${level} ${code}`)
    .sort();
}

export interface Edit {
  update: Update;
  document: PdfDocument;
  /** Changes keys of this dictionary object; undefined removes a key. */
  set(num: number, changes: Record<string, string | undefined>): void;
  put(num: number, body: string | Buffer): void;
  /** Adds an object. Returns its reference. */
  add(body: string | Buffer): string;
}

/** Appends an incremental update. */
export function edited(pdf: Buffer, change: (edit: Edit) => void): Buffer {
  const { document } = openPdf(pdf);
  const update = new Update(document);
  change({
    update,
    document,
    set(num, changes) {
      const dict = document.object(new Ref(num, 0))?.value;
      if (!(dict instanceof Dict)) throw new Error(`object ${num} is not a dictionary`);
      update.replace(new Ref(num, 0), editDict(dict, changes));
    },
    put: (num, body) => update.replace(new Ref(num, 0), body),
    add: (body) => update.add(body).toString(),
  });
  return update.finish().bytes;
}

export const stream = (keys: string, text: string): Buffer => streamBody(keys, Buffer.from(text, 'latin1'));

/** A form XObject with this content. */
export const formXObject = (content: string, resources = ''): Buffer =>
  stream(`/Type/XObject/Subtype/Form/BBox[0 0 200 60]/Resources<<${resources}>>`, content);

/** A manually written entry of a cross-reference table. */
export type Entry =
  | { num: number; gen?: number; body: string | Buffer }
  | { num: number; free: true }
  /** An entry for another offset in the file. */
  | { num: number; offset: number };

/** Appends a manually written update, unlike those of usual writers. */
export function appended(pdf: Buffer, entries: readonly Entry[], trailerKeys = ''): Buffer {
  const { document } = openPdf(pdf);
  const parts: Buffer[] = [pdf];
  let length = pdf.length;
  let table = 'xref\n';
  const row = (offset: number, gen: number, type: string) =>
    `${String(offset).padStart(10, '0')} ${String(gen).padStart(5, '0')} ${type}\r\n`;
  for (const entry of entries) {
    table += `${entry.num} 1\n`;
    if ('free' in entry) table += row(0, 1, 'f');
    else if ('offset' in entry) table += row(entry.offset, 0, 'n');
    else {
      table += row(length, entry.gen ?? 0, 'n');
      const head = Buffer.from(`${entry.num} ${entry.gen ?? 0} obj\n`);
      const part = Buffer.concat([
        head,
        Buffer.from(entry.body as string, 'latin1'),
        Buffer.from('\nendobj\n'),
      ]);
      parts.push(part);
      length += part.length;
    }
  }
  const size = Math.max(document.xref.numMax, ...entries.map(({ num }) => num)) + 1;
  const { num, gen } = document.catalog;
  const root = trailerKeys.includes('/Root') ? '' : `/Root ${num} ${gen} R`;
  const keys = `/Size ${size}${root}/Prev ${document.xref.startxref}${trailerKeys}`;
  parts.push(Buffer.from(`${table}trailer\n<<${keys}>>\nstartxref\n${length}\n%%EOF\n`, 'latin1'));
  return Buffer.concat(parts);
}
