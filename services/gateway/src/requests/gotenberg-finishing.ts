import { AppError, type ErrorDetail } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import type { z } from 'zod';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import type { UploadedFile } from '../middleware/receive-files.ts';
import { parseJson } from '../middleware/receive-json.ts';
import { convertRequest } from './convert-request.ts';

/** Names of parts with files that go into the PDF. */
export const EMBEDS = 'embeds';
export const INVOICE = 'facturxXml';
const INVOICE_NAME = 'factur-x.xml';

/** The body of `POST /v1/convert` without its document. */
const finishingRequest = convertRequest.omit({ document: true });
export type FinishingRequest = z.output<typeof finishingRequest>;

/** The permissions of Gotenberg that are all granted by default. */
const PERMISSIONS = {
  allowPrinting: ['print', 'printDraft'],
  allowCopying: ['copy'],
  allowModifying: ['modify'],
  allowAnnotating: ['annotate'],
  allowFillingForms: ['fillForms'],
  allowAssembling: ['assemble'],
} as const;
type Permission = keyof typeof PERMISSIONS;
export const PERMISSION_SWITCHES = Object.fromEntries(
  Object.keys(PERMISSIONS).map((name) => [name, true]),
) as Record<Permission, true>;

/** Names of ExifTool for the properties that a PDF can get. */
const PROPERTIES = { Title: 'title', Author: 'author', Subject: 'subject', Keywords: 'keywords' } as const;

/** A text across each page, by the field with the text. The source of the first two must be `text`. */
const WATERMARKS = {
  watermarkExpression: 'watermarkSource',
  stampExpression: 'stampSource',
  nativeWatermarkText: undefined,
} as const;
const TEXT_SOURCE = 'text';

/** The fields that `readFinishing` reads. */
export const FINISHING_FIELDS = [
  ...['password', 'userPassword', 'ownerPassword', 'metadata', 'embedsMetadata'],
  ...['facturxConformanceLevel', 'facturxDocumentType', 'facturxVersion'],
  ...Object.entries(WATERMARKS).flatMap(([text, source]) => [text, source ?? []].flat()),
];

type Fields = Readonly<Record<string, string>>;
export type Refuse = (field: string, issue: string) => void;

/** The files of a form that go into its PDF. */
export interface EmbeddedFiles {
  embeds: readonly UploadedFile[];
  /** The invoice of Factur-X. */
  invoice: Buffer | undefined;
}

/** What a form asks for after a conversion. */
export interface FormFinishing {
  request: FinishingRequest;
  /** In the order of `request.attach`. */
  files: Buffer[];
  /** The profile that the invoice must have. */
  invoiceLevel: string | undefined;
  /** Gives a defect the names of the form, where it has those of the body. */
  inForm(defect: ErrorDetail): ErrorDetail;
}

/** Reads the fields of a form about its passwords and its PDF. Calls `refuse` for each one that is wrong or not supported. */
export function readFinishing(
  fields: Fields,
  permissions: Record<Permission, boolean>,
  { embeds, invoice }: EmbeddedFiles,
  refuse: Refuse,
): FormFinishing {
  const textOf = (name: string): string | undefined => fields[name] || undefined;
  const marks = readWatermarks(fields, refuse);
  const invoiceLevel = readInvoiceLevel(fields, invoice, refuse);
  const denied = (Object.keys(PERMISSIONS) as Permission[]).filter((name) => !permissions[name]);
  const [user, owner] = [textOf('userPassword'), textOf('ownerPassword')];
  const isEncrypted = user !== undefined || owner !== undefined || denied.length > 0;
  const names: Record<string, string> = {
    'encrypt.password': 'userPassword',
    'encrypt.ownerPassword': 'ownerPassword',
    'encrypt.permissions': denied[0] ?? '',
    encrypt: user === undefined ? 'ownerPassword' : 'userPassword',
    ...(marks[0] !== undefined && { watermark: marks[0].field }),
    ...Object.fromEntries(
      Object.entries(PROPERTIES).map(([key, name]) => [`metadata.${name}`, `metadata.${key}`]),
    ),
    ...(invoice !== undefined && { 'attach[0].level': 'facturxConformanceLevel', 'attach[0]': INVOICE }),
    attach: EMBEDS,
  };
  const inForm = ({ field, issue }: ErrorDetail): ErrorDetail => {
    // The caller describes a file in another field than that with its bytes.
    if (/^attach.*\.(contentType|relationship)$/.test(field)) return { field: 'embedsMetadata', issue };
    const known = Object.keys(names).find((path) => field.startsWith(path));
    return { field: (known && names[known]) ?? field, issue: inWordsOfForm(field, issue) };
  };
  const attach = [
    ...(invoice === undefined ? [] : [{ name: INVOICE_NAME }]),
    ...readEmbeds(fields, embeds, refuse),
  ].map((file) => ({ ...file, base64: '' }));
  const body = {
    password: textOf('password'),
    encrypt: isEncrypted
      ? { password: user, ownerPassword: owner, permissions: granted(permissions, denied) }
      : undefined,
    watermark: marks[0]?.text,
    metadata: readMetadata(fields, refuse),
    attach: attach.length > 0 ? attach : undefined,
  };
  const request = refusing(
    () => validate(finishingRequest, body),
    ({ field, issue }) => {
      const named = inForm({ field, issue });
      refuse(named.field, named.issue);
    },
  );
  const files = [...(invoice === undefined ? [] : [invoice]), ...embeds.map(({ bytes }) => bytes)];
  return { request: request ?? {}, files, invoiceLevel, inForm };
}

/** An issue may name other options of the body. */
function inWordsOfForm(field: string, issue: string): string {
  const named = `${/^attach.*\.name$/.test(field) ? 'has a file whose name ' : ''}${wordsOfForm(issue)}`;
  return field.startsWith('encrypt') ? named.replace('`password`', '`userPassword`') : named;
}

export const wordsOfForm = (issue: string): string =>
  issue.replace(/`pdfa=(\w+)`/g, '`pdfa=PDF/A-$1`').replace(/`from=(\w+)`/g, 'the ending `.$1`');

/** Calls `refuse` with the details of an invalid value. */
function refusing<Value>(read: () => Value, refuse: (detail: ErrorDetail) => void): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError) || error.details === undefined) throw error;
    for (const detail of error.details) refuse(detail);
    return undefined;
  }
}

function granted(permissions: Record<Permission, boolean>, denied: readonly string[]): string[] | undefined {
  if (denied.length === 0) return undefined;
  return Object.entries(PERMISSIONS).flatMap(([name, granting]) =>
    permissions[name as Permission] ? granting : [],
  );
}

function readWatermarks(fields: Fields, refuse: Refuse): { field: string; text: string }[] {
  const marks = Object.entries(WATERMARKS).flatMap(([field, source]) => {
    const [text = '', kind = ''] = [fields[field], source && fields[source]];
    if (source !== undefined && kind !== '' && kind !== TEXT_SOURCE)
      refuse(source, `is not supported: it must be \`${TEXT_SOURCE}\`, or absent`);
    else if (source !== undefined && kind === '' && text !== '') refuse(source, 'is required');
    else if (kind !== '' && text === '') refuse(field, 'is required');
    return text === '' ? [] : [{ field, text }];
  });
  for (const { field } of marks.slice(1))
    refuse(field, `is not supported together with \`${marks[0]?.field}\``);
  return marks;
}

function readMetadata(fields: Fields, refuse: Refuse): Record<string, string> | undefined {
  const properties: Record<string, string> = {};
  for (const [key, value] of Object.entries(objectIn(fields, 'metadata', refuse))) {
    const name = PROPERTIES[key as keyof typeof PROPERTIES];
    const text = key === 'Keywords' && Array.isArray(value) && value.every(isText) ? value.join(', ') : value;
    if (!Object.hasOwn(PROPERTIES, key) || name === undefined)
      refuse(`metadata.${shown(key)}`, `is not supported: known are ${Object.keys(PROPERTIES).join(', ')}`);
    else if (!isText(text)) refuse(`metadata.${key}`, 'must be a text');
    else properties[name] = text;
  }
  return Object.keys(properties).length > 0 ? properties : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns a field with a JSON object; an empty one if it is absent or wrong. */
function objectIn(fields: Fields, field: string, refuse: Refuse): object {
  const text = fields[field] ?? '';
  if (text === '') return {};
  const value = refusing(
    () => parseJson(Buffer.from(text), BODY_BOUNDS, field),
    ({ issue }) => refuse(field, issue),
  );
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  refuse(field, 'must be a JSON object');
  return {};
}

/** The media type and the relationship of each embedded file, as `embedsMetadata` has them by its name. */
function readEmbeds(fields: Fields, embeds: readonly UploadedFile[], refuse: Refuse): { name: string }[] {
  const described = new Map<string, Record<string, string>>();
  for (const [name, value] of Object.entries(objectIn(fields, 'embedsMetadata', refuse))) {
    const entries = typeof value === 'object' && value !== null ? Object.entries<unknown>(value) : undefined;
    if (!embeds.some((file) => file.name === name))
      refuse('embedsMetadata', `names \`${shown(name)}\`, which is not embedded`);
    else if (!entries?.every(([key, text]) => /^(mimeType|relationship)$/.test(key) && isText(text)))
      refuse('embedsMetadata', 'must have `mimeType` and `relationship` for each file, and nothing else');
    else described.set(name, Object.fromEntries(entries) as Record<string, string>);
  }
  for (const { name, bytes } of embeds)
    if (bytes.length === 0) refuse(EMBEDS, `has \`${shown(name)}\`, which is empty`);
  return embeds.map(({ name }) => {
    const { mimeType: contentType, relationship } = described.get(name) ?? {};
    return {
      name,
      ...(contentType !== undefined && { contentType }),
      ...(relationship !== undefined && { relationship }),
    };
  });
}

function readInvoiceLevel(fields: Fields, invoice: Buffer | undefined, refuse: Refuse): string | undefined {
  const {
    facturxConformanceLevel: level = '',
    facturxDocumentType: type = '',
    facturxVersion: version = '',
  } = fields;
  if (level !== '' && invoice === undefined) refuse(INVOICE, 'is required with `facturxConformanceLevel`');
  if (level === '' && invoice !== undefined)
    refuse('facturxConformanceLevel', `is required with \`${INVOICE}\``);
  if (invoice?.length === 0) refuse(INVOICE, 'is empty');
  if (type !== '' && type !== 'INVOICE')
    refuse('facturxDocumentType', 'is not supported: it must be `INVOICE`, or absent');
  if (version !== '' && version !== '1.0')
    refuse('facturxVersion', 'is not supported: it must be `1.0`, or absent');
  return level || undefined;
}

const SHOWN_CHARS_MAX = 100;

/** A text of the caller, for a message. */
export const shown = (text: string): string => text.slice(0, SHOWN_CHARS_MAX).replace(/\p{Cc}/gu, '');
