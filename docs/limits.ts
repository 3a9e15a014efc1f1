import { readFile } from 'node:fs/promises';
import { SERVICE_SETTINGS } from '@scriptorium/deploy/settings';
import { BOUNDS } from '@scriptorium/ooxml/bounds';
import type { z } from 'zod';
import { DOCUMENT_BOUNDS, SETTINGS, type Unit } from './limit-words.ts';

const root = new URL('../', import.meta.url);

/** One limit: what it bounds, and the constant of the code that holds it. */
type Limit = readonly [what: string, unit: Unit, file: string, constant: string];

const GATEWAY = 'services/gateway/src/';
const MAIL_RATE = `${GATEWAY}mail/mail-rate-limit.ts`;
const TEMPLATE = 'packages/docx-template/src/';
const SECOND_READER = 'services/verifier/second-reader/confine.c';
const ENGINE = 'services/converter/engine-host/confine.c';

const FIXED: Record<string, readonly Limit[]> = {
  'JSON bodies': [
    ['Levels', '', `${GATEWAY}middleware/json-bounds.ts`, 'JSON_DEPTH_MAX'],
    ['Values', '', `${GATEWAY}middleware/json-bounds.ts`, 'JSON_VALUES_MAX'],
    ['Keys of one object', '', `${GATEWAY}middleware/json-bounds.ts`, 'JSON_KEYS_MAX'],
    ['Length of a key', 'bytes', `${GATEWAY}middleware/json-bounds.ts`, 'KEY_BYTES_MAX'],
    ['Levels of `data`', '', `${GATEWAY}middleware/json-bounds.ts`, 'DATA_DEPTH_MAX'],
    ['Values of a body with `data`', '', `${GATEWAY}middleware/json-bounds.ts`, 'DATA_VALUES_MAX'],
    ['Keys of one object of `data`', '', `${GATEWAY}middleware/json-bounds.ts`, 'DATA_KEYS_MAX'],
    [
      'The part `request` of a form without a file name',
      'bytes',
      `${GATEWAY}middleware/receive-files.ts`,
      'PLAIN_TEXT_BYTES_MAX',
    ],
  ],
  Converting: [
    ['Pages', '', 'services/converter/src/conversion/convert.ts', 'PAGES_MAX'],
    ['Size of the result', 'bytes', 'services/converter/src/engines/output.ts', 'OUTPUT_BYTES_MAX'],
    ['Pixels of an image with `dpi`', '', 'packages/rendering/src/rendered-pdf.ts', 'CHOSEN_PIXELS_MAX'],
    [
      'Length of a calculated formula, characters',
      '',
      'packages/sanitizer/src/sheets/formula.ts',
      'FORMULA_CHARS_MAX',
    ],
    ['Attached files', '', `${GATEWAY}requests/convert-request.ts`, 'ATTACHMENTS_MAX'],
    ['Length of a watermark, characters', '', `${GATEWAY}requests/convert-request.ts`, 'WATERMARK_CHARS_MAX'],
    [
      'Password of a new encryption',
      'bytes',
      'packages/pdf/src/finish/finish-options.ts',
      'PASSWORD_BYTES_MAX',
    ],
    [
      'Rounds of the password of an encrypted document',
      '',
      'packages/sanitizer/src/sources/encrypted/agile-encryption.ts',
      'SPINS_MAX',
    ],
    [
      'Time in the engine by the clock, before 504',
      'ms',
      'services/converter/src/conversion/attempts.ts',
      'RUN_TIMEOUT_MS',
    ],
    ['Time in the sanitizer', 'ms', 'services/converter/src/threads/threads.ts', 'SANITIZER_MS_MAX'],
    ['CPU time of the child process', 's', ENGINE, 'cpu_seconds_max'],
    ['Address space of the child process', 'bytes', ENGINE, 'watched_address_space_bytes_max'],
    ['One file of the child process', 'bytes', ENGINE, 'file_bytes_max'],
    ['All files of the child process', 'bytes', ENGINE, 'all_files_bytes_max'],
    ['Files of the child process', '', ENGINE, 'files_max'],
    ['Threads of the child process', '', ENGINE, 'threads_max'],
    ['Descriptors of the child process', '', ENGINE, 'descriptors_max'],
  ],
  'Filling templates': [
    ['Entries of `fields`', '', `${TEMPLATE}fields.ts`, 'FIELDS_MAX'],
    ['Rows of a table', '', `${TEMPLATE}fields/table-field.ts`, 'TABLE_ROWS_MAX'],
    ['Cells of all tables', '', `${TEMPLATE}fields/table-field.ts`, 'TABLE_CELLS_MAX'],
    ['Length of an `id` or `group`, characters', '', `${TEMPLATE}template/field-index.ts`, 'NAME_CHARS_MAX'],
    ['Size of a text', 'bytes', `${TEMPLATE}xml-text.ts`, 'VALUE_BYTES_MAX'],
    ['Length of a label, characters', '', `${TEMPLATE}fields/signature-field.ts`, 'LABEL_CHARS_MAX'],
    ['Pixels of all images', '', `${TEMPLATE}drawing/image-cache.ts`, 'PIXELS_MAX'],
    ['Pixels of all SVG images, as drawn', '', `${TEMPLATE}drawing/image-cache.ts`, 'DRAWN_PIXELS_MAX'],
    [
      'Time to draw all different barcodes: small QR codes count 0.7 ms, Code 128 0.6, Data Matrix 1, EAN-13 10',
      'ms',
      'packages/docx-generate/src/values/resources.ts',
      'BARCODES_MS_MAX',
    ],
    [
      'Width and height of an image, pixels of 1/96 inch',
      '',
      `${TEMPLATE}drawing/size.ts`,
      'SIDE_PIXELS_MAX',
    ],
    ['Addresses of images', '', `${GATEWAY}requests/load-images.ts`, 'FETCHES_MAX'],
    ['Time', 'ms', 'services/annotator/src/threads.ts', 'FILL_MS_MAX'],
  ],
  Merging: [
    ['Documents', '', 'packages/contracts/src/jobs/merge.ts', 'MERGED_DOCUMENTS_MAX'],
    ['Warnings of an answer', '', 'services/annotator/src/fitting-warnings.ts', 'WARNINGS_MAX'],
    [
      'Runs of DOCX documents between PDFs, converted at a time',
      '',
      `${GATEWAY}merging/run-parts.ts`,
      'RUNS_AT_A_TIME_MAX',
    ],
    ['Time to merge', 'ms', 'services/annotator/src/threads.ts', 'MERGE_MS_MAX'],
  ],
  Signing: [
    ['Events of the audit trail', '', `${GATEWAY}requests/audit-trail.ts`, 'AUDIT_EVENTS_MAX'],
    ['`data` of one event', 'bytes', `${GATEWAY}requests/audit-trail.ts`, 'EVENT_DATA_BYTES_MAX'],
    ['The audit trail', 'bytes', `${GATEWAY}requests/audit-trail.ts`, 'AUDIT_TRAIL_BYTES_MAX'],
    ['`metadata`', 'bytes', `${GATEWAY}requests/sign-request.ts`, 'METADATA_BYTES_MAX'],
    ['Names of `lockFields`', '', `${GATEWAY}requests/sign-request.ts`, 'LOCKED_FIELDS_MAX'],
    ['PKCS #12 file', 'bytes', `${GATEWAY}requests/key-source.ts`, 'P12_BYTES_MAX'],
    ['Certificates of a key', '', `${GATEWAY}requests/key-source.ts`, 'CERTIFICATES_MAX'],
    ['Time', 'ms', 'services/signer/src/sign-threads.ts', 'TIMEOUT_MS'],
  ],
  Verifying: [
    ['Anchors', '', `${GATEWAY}requests/verify-request.ts`, 'ANCHORS_MAX'],
    ['All anchors', 'bytes', `${GATEWAY}requests/verify-request.ts`, 'ANCHOR_BYTES_MAX'],
    ['Signatures of a PDF', '', 'packages/signatures/src/pades/bounds.ts', 'signaturesMax'],
    [
      'Revisions after the first signature',
      '',
      'packages/signatures/src/pades/bounds.ts',
      'signedRevisionsMax',
    ],
    [
      'Questions to authorities, all together',
      'ms',
      'packages/signatures/src/verification/verify-document.ts',
      'AUTHORITIES_MS_MAX',
    ],
    [
      'Pages that are rendered and compared',
      '',
      'packages/signatures/src/looks/compare-looks.ts',
      'PAGES_COMPARED_MAX',
    ],
    [
      'Size of a PDF that is rendered',
      'bytes',
      'packages/signatures/src/looks/compare-looks.ts',
      'RENDERED_BYTES_MAX',
    ],
    ['Pixels of a rendered page', '', 'packages/rendering/src/reader.ts', 'PIXELS_MAX'],
    ['Memory of PDFium', 'bytes', 'packages/rendering/src/pdfium.ts', 'MEMORY_BYTES_MAX'],
    ['Time for rendering', 'ms', 'services/verifier/src/render-threads.ts', 'TIMEOUT_MS'],
    ['Memory of Poppler', 'bytes', SECOND_READER, 'address_space_bytes_max'],
    ['CPU time of Poppler', 's', SECOND_READER, 'cpu_seconds_max'],
    ['Time of Poppler by the clock', 'ms', 'services/verifier/src/poppler-connection.ts', 'TIMEOUT_MS'],
    ['Pictures of an answer', '', 'packages/rendering/src/page-pictures.ts', 'PICTURES_MAX'],
    ['All pictures of an answer', 'bytes', 'packages/rendering/src/page-pictures.ts', 'PICTURES_BYTES_MAX'],
    ['Time', 'ms', 'services/verifier/src/verify-threads.ts', 'TIMEOUT_MS'],
  ],
  'PDF files': [
    ['Levels of nested objects', '', 'packages/pdf/src/read/bounds.ts', 'depthMax'],
    ['Values', '', 'packages/pdf/src/read/bounds.ts', 'valuesMax'],
    ['Revisions', '', 'packages/pdf/src/read/bounds.ts', 'revisionsMax'],
    ['Unpacked streams', 'bytes', 'packages/pdf/src/read/bounds.ts', 'unpackedBytesMax'],
    ['Form fields', '', 'packages/pdf/src/read/bounds.ts', 'fieldsMax'],
  ],
  'API keys and codes': [
    ['API keys of an address', '', 'services/gateway/src/auth/api-keys.ts', 'KEYS_PER_OWNER_MAX'],
    ['Validity of a seen key while PostgreSQL is away', 'ms', `${GATEWAY}auth/key-ring.ts`, 'SEEN_MS'],
    ['Lifetime of an e-mail code', 'ms', `${GATEWAY}auth/codes.ts`, 'CODE_MS'],
    ['Attempts per code, with and without the id', '', `${GATEWAY}auth/codes.ts`, 'ATTEMPTS_MAX'],
    ['Codes per hour, mailbox and client network', '', MAIL_RATE, 'CODES_PER_HOUR_MAX'],
    ['Codes per day, mailbox and client network', '', MAIL_RATE, 'CODES_PER_DAY_MAX'],
    ['Codes per hour and mailbox', '', MAIL_RATE, 'MAILBOX_CODES_PER_HOUR_MAX'],
    ['Codes per day and mailbox', '', MAIL_RATE, 'MAILBOX_CODES_PER_DAY_MAX'],
  ],
  'Fetching URLs': [
    ['Redirects', '', 'shared/src/fetch/fetcher.ts', 'REDIRECTS_MAX'],
    ['Time in total', 'ms', 'shared/src/fetch/fetcher.ts', 'TOTAL_MS_MAX'],
    ['Time to connect', 'ms', 'packages/fetching/src/open-client.ts', 'CONNECT_MS_MAX'],
    ['Time without a byte', 'ms', 'packages/fetching/src/open-client.ts', 'IDLE_MS_MAX'],
    ['Length of a URL, characters', '', 'packages/fetching/src/target.ts', 'URL_LENGTH_MAX'],
  ],
  Usage: [
    ['Days of a query by day', '', `${GATEWAY}requests/usage-request.ts`, 'DAYS_MAX'],
    ['Months of a query by month', '', `${GATEWAY}requests/usage-request.ts`, 'MONTHS_MAX'],
    ['Groups of an answer', '', `${GATEWAY}requests/usage-request.ts`, 'GROUPS_MAX'],
    ['Rows of an answer', '', `${GATEWAY}requests/usage-request.ts`, 'ROWS_MAX'],
    ['Body of document opens', 'bytes', 'services/telemetry/src/collect.ts', 'BODY_BYTES_MAX'],
    ['Document opens of a request', '', 'services/telemetry/src/payload.ts', 'EVENTS_MAX'],
    ['`metadata`', 'bytes', 'services/telemetry/src/payload.ts', 'METADATA_BYTES_MAX'],
    [
      'Operations that a gateway holds for PostgreSQL',
      '',
      'packages/usage/src/operation-recorder.ts',
      'HELD_MAX',
    ],
  ],
  Connections: [
    ['Connections of a collector', '', 'shared/src/http/server.ts', 'CONNECTIONS_MAX'],
    [
      'Idle connections, where half of a limit is in use',
      'ms',
      `${GATEWAY}http/connections.ts`,
      'IDLE_MS_MAX',
    ],
    ['Time for the headers', 'ms', 'shared/src/http/server.ts', 'HEADERS_TIMEOUT_MS'],
    ['Slowest body, bytes per second', '', `${GATEWAY}middleware/arriving-body.ts`, 'PACE_BYTES_MIN'],
    ['Seconds of that measurement', '', `${GATEWAY}middleware/arriving-body.ts`, 'PACE_SECONDS'],
    ['Requests per connection', '', 'shared/src/http/server.ts', 'REQUESTS_PER_SOCKET_MAX'],
    ['Time to take the answer, after the deadline', 'ms', `${GATEWAY}settings/limits.ts`, 'SEND_MS_MAX'],
  ],
};

/** `docs/reference/limits.md`. */
export async function limitTables(): Promise<string> {
  const fixed: string[] = [];
  for (const [title, limits] of Object.entries(FIXED)) {
    const rows = await Promise.all(
      limits.map(
        async ([what, unit, file, constant]) =>
          `| ${what} | ${shown(await constantOf(file, constant), unit)} |`,
      ),
    );
    fixed.push('', `## ${title}`, '', '| limit | value |', '| --- | --- |', ...rows);
  }
  return [...head(), ...settingRows(), ...boundRows(), ...fixed, ''].join('\n');
}

const head = (): string[] => [
  '# Limits',
  '',
  'Generated by `npm run docs` from the constants of the code. Byte sizes use powers of two: 1 KiB is 1,024 bytes.',
  '',
];

function settingRows(): string[] {
  const shape: Record<string, z.ZodType> = SERVICE_SETTINGS.gateway.shape;
  const rows = SETTINGS.map(([name, what, unit]) => {
    const { defaultValue } = (shape[name] as z.ZodType).def as unknown as { defaultValue: number };
    return `| ${what} | ${shown(defaultValue, unit)} | \`${name}\` |`;
  });
  return [
    '## Limits with a setting',
    '',
    'These are settings of the gateway. [Settings](settings.md) lists further ones.',
    '',
    '| limit | default | setting |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ];
}

function boundRows(): string[] {
  const bounds = Object.entries(BOUNDS) as [keyof typeof BOUNDS, number][];
  return [
    '## Documents',
    '',
    'A document over one of these limits gets 400 `DOCUMENT_TOO_COMPLEX`; the message names the limit. They are well',
    'above the largest of 663 real documents.',
    '',
    '| limit | value |',
    '| --- | --- |',
    ...bounds.map(
      ([name, value]) => `| ${DOCUMENT_BOUNDS[name][0]} | ${shown(value, DOCUMENT_BOUNDS[name][1])} |`,
    ),
  ];
}

/** The number that a source file gives to a constant or property. Throws for one that it does not have. */
export async function constantOf(file: string, name: string): Promise<number> {
  const text = await readFile(new URL(file, root), 'utf8');
  const found = new RegExp(`(?:const |\\.|\\b)${name}(?: =|:) ([\\dA-Z_*< ]+)[;,]`).exec(text)?.[1];
  if (found === undefined) throw new Error(`${file} has no number of the name ${name}`);
  const [base = '', shift = '0'] = found.replaceAll('_', '').replaceAll('UL', '').split('<<');
  const factors = base.split(/(?<!\*)\*(?!\*)/).map((factor) => {
    const [number, power = '1'] = factor.split('**');
    return Number(number) ** Number(power);
  });
  const product = factors.reduce((sum, factor) => sum * factor, 2 ** Number(shift));
  if (!(product > 0)) throw new Error(`${file}: ${name} is not a product of numbers`);
  return product;
}

const UNITS = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;

function shown(value: number, unit: Unit): string {
  const text = (number: number): string => number.toLocaleString('en-US');
  if (unit === '') return text(value);
  if (unit === 's') return `${text(value)} s`;
  if (unit === 'ms')
    return value % 60_000 === 0 && value > 60_000 ? `${value / 60_000} min` : `${text(value / 1000)} s`;
  const [name, size] = UNITS.find(([, bytes]) => value % bytes === 0) ?? ['bytes', 1];
  return `${text(value / size)} ${name}`;
}
