import type { ErrorDetail } from '@scriptorium/contracts/errors';
import { type convertOptions, issueOfPassword } from '@scriptorium/contracts/jobs/convert';
import type { ConversionPasswords, finishing } from '@scriptorium/contracts/jobs/finishing';
import { packParts } from '@scriptorium/contracts/pack';
import { xmlTextOf } from '@scriptorium/docx-template/fields';
import { PASSWORD_BYTES_MAX, PERMISSIONS, RELATIONSHIPS } from '@scriptorium/pdf/finish-options';
import { invalid } from '@scriptorium/shared/http/validation';
import { z } from 'zod';
import type { Reply } from '../http/context.ts';
import { listOf } from './bounded-list.ts';
import {
  type DocumentSource,
  documentSource,
  hasOneSource,
  ONE_SOURCE_META,
  oneSource,
  SOURCE,
} from './document-source.ts';
import { password } from './key-source.ts';
import { loadDocuments } from './load-documents.ts';
import type { Loading } from './load-request.ts';

const WATERMARK_CHARS_MAX = 100;
const PROPERTY_CHARS_MAX = 1_000;
export const ATTACHMENTS_MAX = 20;
const NAME_CHARS_MAX = 200;

/** Passwords that every reader takes alike (ISO 32000-2, 7.6.4.3.3): RFC 4013 drops or forbids the other characters. */
const newPassword = password
  .min(1, { error: 'must not be empty', abort: true })
  .refine((text) => Buffer.byteLength(text.normalize('NFKC')) <= PASSWORD_BYTES_MAX, {
    error: `must have at most ${PASSWORD_BYTES_MAX} bytes in UTF-8`,
  })
  .refine((text) => !/\p{C}/u.test(text) && /[^\p{M}\p{Z}]/u.test(text), {
    error: 'must have visible characters, and no control characters',
  });

const encryption = z
  .strictObject({
    password: newPassword.optional().describe('Opens the PDF. Without it, the PDF opens for everyone'),
    ownerPassword: newPassword.optional().describe('Opens the PDF with all rights'),
    permissions: z
      .array(z.enum(PERMISSIONS))
      .max(PERMISSIONS.length, `must have at most ${PERMISSIONS.length} entries`)
      .optional()
      .describe(
        'What the PDF permits without `ownerPassword`: by default everything. Reading aloud is always permitted',
      ),
  })
  .superRefine(({ password: user, ownerPassword, permissions }, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (user === undefined && ownerPassword === undefined)
      refuse('password', 'is required, or `ownerPassword`');
    if (permissions !== undefined && ownerPassword === undefined)
      refuse('permissions', 'requires `ownerPassword`: nobody could lift them');
    if (user !== undefined && user === ownerPassword)
      refuse('ownerPassword', 'must differ from `password`, which would give all rights');
  })
  .meta({ id: 'PdfEncryption', description: 'Encrypts the PDF with AES-256 (ISO 32000-2)' });

const property = xmlTextOf(0, PROPERTY_CHARS_MAX).optional();

const metadata = z
  .strictObject({ title: property, author: property, subject: property, keywords: property })
  .meta({
    id: 'PdfMetadata',
    description: 'Properties of the PDF instead of those of the document. An empty text removes one',
  });

const attachment = z
  .strictObject({
    ...SOURCE,
    name: xmlTextOf(1, NAME_CHARS_MAX)
      .refine((name) => !/[/\\:*?"<>|\p{Cc}]/u.test(name) && !/^\.*$/.test(name), {
        error: 'must be the name of a file, without a folder',
      })
      .describe('File name. `factur-x.xml` and `xrechnung.xml` must be invoices of Factur-X'),
    contentType: z
      .string()
      .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}$/, 'must be a media type')
      .optional()
      .describe('Media type. By default `text/xml` for XML, and `application/octet-stream`'),
    relationship: z
      .enum(RELATIONSHIPS)
      .optional()
      .describe(
        'Relationship to the document (`AFRelationship`). By default that of the profile of an invoice',
      ),
    description: xmlTextOf(1, PROPERTY_CHARS_MAX).optional(),
  })
  .refine(hasOneSource, oneSource)
  .meta({ id: 'PdfAttachment', ...ONE_SOURCE_META });

/** The body of `POST /v1/convert`. */
export const convertRequest = z
  .strictObject({
    document: documentSource,
    password: password
      .optional()
      .describe('Password of an encrypted document that Word, Excel or PowerPoint writes, such as DOCX'),
    encrypt: encryption.optional(),
    watermark: xmlTextOf(1, WATERMARK_CHARS_MAX)
      .refine(
        (text) => text === '' || (!/\p{Cc}|[\u2028\u2029]/u.test(text) && /[^\p{Z}\p{C}\p{M}]/u.test(text)),
        {
          error: 'must be one line with visible characters',
        },
      )
      .optional()
      .describe('A text across each page of the PDF'),
    metadata: metadata.optional(),
    attach: listOf(attachment, ATTACHMENTS_MAX)
      .optional()
      .describe('Files in the PDF. With an invoice of Factur-X, `pdfa=3b` is required'),
  })
  .meta({ id: 'ConvertRequest' });
export type ConvertRequest = z.output<typeof convertRequest> & { document: DocumentSource };

/** What a body asks for besides its document. */
type Asked = Omit<ConvertRequest, 'document'>;
type Query = Pick<z.output<typeof convertOptions>, 'from' | 'to' | 'pdfa'>;

const FINISHING = ['encrypt', 'watermark', 'metadata', 'attach'] as const;
const isInvoice = ({ name }: { name: string }): boolean => /^(factur-x|xrechnung)\.xml$/i.test(name);

/** Throws VALIDATION_ERROR with both names for options that exclude each other. */
export function requireCombination(body: Asked, query: Query): void {
  const details = excludedBy(body, query);
  if (details.length > 0) throw invalid(details);
}

/** Returns the options of a body that others exclude. */
export function excludedBy(body: Asked, { from, to, pdfa }: Query): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  const refuse = (field: string, issue: string) => details.push({ field, issue });
  if (to !== 'pdf')
    for (const name of FINISHING) if (body[name] !== undefined) refuse(name, 'requires `to=pdf`');
  const issue = issueOfPassword(from);
  if (body.password !== undefined && issue !== undefined) refuse('password', issue);
  if (body.encrypt && pdfa !== undefined)
    refuse('encrypt', `must be absent with \`pdfa=${pdfa}\`: PDF/A forbids encryption`);
  const { attach = [] } = body;
  if (attach.length > 0 && pdfa !== undefined && pdfa !== '3b')
    refuse('attach', `must be absent with \`pdfa=${pdfa}\`: only \`pdfa=3b\` permits files`);
  const names = new Set<string>();
  for (const [at, file] of attach.entries()) {
    if (names.has(file.name.toLowerCase())) refuse(`attach[${at}].name`, 'is that of another file');
    names.add(file.name.toLowerCase());
    if (isInvoice(file) && pdfa === undefined) refuse(`attach[${at}].name`, 'requires `pdfa=3b`');
  }
  return details;
}

/** The passwords as JSON, for the converter; undefined if there are none. */
export function passwordsOf({ password: document, encrypt }: Asked): string | undefined {
  const passwords: ConversionPasswords = {
    document: document || undefined,
    user: encrypt?.password,
    owner: encrypt?.ownerPassword,
  };
  const isAny = Object.values(passwords).some((text) => text !== undefined);
  return isAny ? JSON.stringify(passwords) : undefined;
}

const typeOf = (name: string): string => (/\.xml$/i.test(name) ? 'text/xml' : 'application/octet-stream');

/** Loads what the PDF gets after its conversion. Returns it as a pack without passwords; undefined if that is nothing. */
export async function loadFinishing(
  body: ConvertRequest,
  loading: Loading,
  response: Reply,
): Promise<Buffer | undefined> {
  const { attach = [] } = body;
  const bytesMax = loading.limits.uploadBytesMax;
  const pathOf = (at: number) => `attach[${at}]`;
  const files =
    attach.length === 0 ? [] : await loadDocuments(attach, loading, response, { bytesMax, pathOf });
  return packFinishing(body, files);
}

/** The same for loaded files. `invoiceLevel` is the profile that the first one must have. */
export function packFinishing(
  { encrypt, watermark, metadata: properties, attach = [] }: Asked,
  files: readonly Buffer[],
  invoiceLevel?: string,
): Buffer | undefined {
  const isAny = encrypt !== undefined || watermark !== undefined || properties !== undefined;
  if (!isAny && attach.length === 0) return undefined;
  const head: z.input<typeof finishing> = {
    watermark,
    metadata: properties,
    attachments: attach.map(({ name, contentType = typeOf(name), relationship, description }, at) => ({
      ...{ name, contentType, relationship, description },
      ...(at === 0 && { level: invoiceLevel }),
    })),
    isEncrypted: encrypt !== undefined,
    permissions: encrypt?.permissions,
  };
  return packParts([Buffer.from(JSON.stringify(head)), ...files]);
}
