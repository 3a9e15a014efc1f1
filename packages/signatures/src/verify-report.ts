import { z } from 'zod';
import { SIGNATURE_LEVELS } from './levels.ts';
import { qualification } from './lists/qualification.ts';
import { INTEGRITY, MEANINGS, TIME, TRUST } from './questions.ts';
import { CHECKS, MODIFICATIONS, type ModificationCode, REASONS, type ReasonCode } from './reasons.ts';
import { AUDIT_EVENTS } from './sign-request.ts';

/** Sources of revocation data: none, the document, or also the authorities that certificates name. */
export const REVOCATION_MODES = ['none', 'embedded', 'online'] as const;
export type RevocationMode = (typeof REVOCATION_MODES)[number];

/** Formats of a report, and their media types. The first is the default. */
export const REPORT_TYPES = {
  json: 'application/json',
  html: 'text/html',
  pdf: 'application/pdf',
  xml: 'application/xml',
} as const;
export type ReportFormat = keyof typeof REPORT_TYPES;
export const REPORT_FORMATS = Object.keys(REPORT_TYPES) as [ReportFormat, ...ReportFormat[]];

/** The validated verification request. */
export const verification = z.object({
  trust: z.object({
    /** DER in base64; each of them ends a chain. */
    anchors: z.array(z.string()),
    /** Name of configured anchors; undefined: the profile `default`, if no anchors are given. */
    profile: z.string().optional(),
  }),
  /** ISO 8601; defaults to now. */
  validationTime: z.string().optional(),
  revocation: z.enum(REVOCATION_MODES),
  /** ISO 8601. SHA-1 counts for signatures that provably existed before. */
  acceptSha1Before: z.string().optional(),
  /** `json` if undefined. */
  report: z.enum(REPORT_FORMATS).optional(),
  /** The password of an encrypted PDF, encrypted for the verifier. */
  passwordBox: z.string().optional(),
  /** Whether the reply has pictures of the pages that were changed after signing. */
  pictures: z.boolean().optional(),
});
export type Verification = z.infer<typeof verification>;

const codes = <Code extends string>(table: Record<Code, unknown>) =>
  z.enum(Object.keys(table) as [Code, ...Code[]]);

const modification = z.object({
  revision: z.number().int().describe('Revision of the modification; in a PDF, from 1'),
  level: z.enum(['permitted', 'doubtful', 'forbidden']),
  object: z.string().describe('Such as `12 0` in a PDF, or a part name in a DOCX'),
  path: z.string().describe('Path from the root of the document'),
  code: codes<ModificationCode>(MODIFICATIONS),
  message: z.string().describe('The change in words, with its field, page and values'),
  field: z.string().optional().describe('The form field of a PDF, by its full name'),
  page: z.number().int().optional().describe('The page of a PDF that shows it, from 1'),
  values: z
    .object({ before: z.string(), after: z.string() })
    .optional()
    .describe('The values of the field as text, up to 200 characters each'),
});
/** As evidence has it: without the words. */
export type Modification = Omit<z.infer<typeof modification>, 'message'>;

const reason = z.object({
  code: codes<ReasonCode>(REASONS),
  severity: z.enum(['error', 'doubt', 'untrusted', 'warning', 'info']),
  message: z.string(),
});
export type Reason = z.infer<typeof reason>;

/** `notChecked`: the check does not apply, or an earlier check that it depends on failed. */
export const CHECK_RESULTS = ['passed', 'failed', 'indeterminate', 'notChecked'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

export const signerSummary = z
  .object({
    commonName: z.string(),
    subject: z.string(),
    issuer: z.string(),
    serialNumber: z.string().describe('Hexadecimal'),
    notBefore: z.string().describe('ISO 8601'),
    notAfter: z.string().describe('ISO 8601'),
    sha256: z.string().describe('SHA-256 of the certificate, hexadecimal'),
  })
  .meta({ id: 'SignerCertificate' });
export type SignerSummary = z.infer<typeof signerSummary>;

const meaning = (meanings: Record<string, string>): string =>
  Object.entries(meanings)
    .toReversed()
    .map(([answer, text]) => `\`${answer}\`: ${text}`)
    .join(' ');

/** The three questions of a report; each is answered apart from the others. */
const answers = {
  integrity: z.enum(INTEGRITY).describe(`Is the document as it was signed? ${meaning(MEANINGS.integrity)}`),
  trust: z.enum(TRUST).describe(`Is the signer trusted? ${meaning(MEANINGS.trust)}`),
  time: z.enum(TIME).describe(`Is the signing time proven? ${meaning(MEANINGS.time)}`),
};

export const SIGNATURE_TYPES = ['approval', 'certification', 'documentTimestamp'] as const;
export const INDICATIONS = ['TOTAL_PASSED', 'TOTAL_FAILED', 'INDETERMINATE'] as const;
export type Indication = (typeof INDICATIONS)[number];

export const verifiedSignature = z
  .object({
    id: z.string().describe('The signature field; in a DOCX, the signature part'),
    type: z.enum(SIGNATURE_TYPES),
    format: z.string().describe('Such as `PAdES`, `PKCS7`, `RFC3161`, `XAdES`, `XMLDSig`'),
    level: z
      .enum(SIGNATURE_LEVELS)
      .optional()
      .describe('Baseline level, if the signature has the form of one'),
    indication: z.enum(INDICATIONS).describe('ETSI EN 319 102-1, 5.1.2'),
    subIndication: z.string().optional().describe('ETSI EN 319 102-1, 5.1.3'),
    ...answers,
    coversWholeDocument: z
      .boolean()
      .describe(
        'Whether the signature covers a PDF up to its last byte, or everything in a DOCX that readers show',
      ),
    reasons: z.array(reason),
    checks: z.object(
      Object.fromEntries(CHECKS.map((check) => [check, z.enum(CHECK_RESULTS)])) as Record<
        (typeof CHECKS)[number],
        z.ZodEnum<{ [Result in CheckResult]: Result }>
      >,
    ),
    signer: signerSummary.optional(),
    claimedName: z.string().optional().describe('Name that the signer claims'),
    reason: z.string().optional().describe('Reason for signing that the signer claims'),
    location: z.string().optional().describe('Place of signing that the signer claims'),
    isServiceKey: z.boolean().describe('Whether the service’s own key made the signature'),
    qualification: qualification
      .optional()
      .describe('What the trusted lists of the European Union say, with the trust profile `eu`'),
    digestAlgorithm: z.string().optional(),
    signatureAlgorithm: z.string().optional(),
    claimedSigningTime: z
      .string()
      .optional()
      .describe('Time stated by the signer, or by the authority of a document time-stamp, ISO 8601'),
    provenTime: z
      .string()
      .optional()
      .describe('Latest possible signing time by a trusted time-stamp, ISO 8601'),
    byteRange: z.array(z.number().int()).optional().describe('PDF only'),
    revision: z.number().int().describe('The signed revision, from 1'),
    totalRevisions: z.number().int(),
    permissions: z.object({
      docMdp: z.number().int().optional().describe('1 no changes, 2 form filling, 3 also annotations'),
      lockedFields: z
        .array(z.object({ action: z.enum(['All', 'Include', 'Exclude']), fields: z.array(z.string()) }))
        .optional(),
    }),
    modifications: z.array(modification),
    modificationsLeftOut: z.number().int().optional().describe('Number of modifications that are not listed'),
  })
  .meta({ id: 'SignatureReport' });
export type VerifiedSignature = z.infer<typeof verifiedSignature>;

const pixels = z.number().int();
const picture = z
  .object({
    revision: z
      .number()
      .int()
      .describe('The page as it was after this revision; the first one of a page is as signed'),
    page: z.number().int().describe('From 1'),
    reader: z.string().describe('The program that drew it: `PDFium` or `Poppler`'),
    contentType: z.literal('image/png'),
    width: pixels,
    height: pixels,
    base64: z.string().describe('A data URI. Differences have red frames'),
    differences: z
      .array(z.object({ x: pixels, y: pixels, width: pixels, height: pixels }))
      .describe('Regions that differ from the revision before, in pixels from the upper left corner'),
  })
  .meta({ id: 'ChangedPage' });
export type Picture = z.infer<typeof picture>;

/** An empty signature field of a PDF. */
export const signaturePlace = z
  .object({
    name: z.string().describe('What `field` names in `POST /v1/sign`'),
    role: z.string().optional().describe('The text that readers show for the field'),
    page: z.number().int().optional().describe('From 1. Absent if the field is invisible'),
    rectangle: z
      .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
      .optional()
      .describe('Points from the lower left corner of the page as displayed'),
  })
  .meta({ id: 'SignaturePlace' });

export const VERDICTS = ['valid', 'valid_untrusted', 'invalid', 'indeterminate', 'unsigned'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The reply of `POST /v1/verify`. */
export const verifyReply = z
  .object({
    valid: z
      .boolean()
      .describe(
        'Whether the document is intact, and each signer is trusted or this service itself. `trust` says which: the verdict is `valid` for `trusted`, and `valid_untrusted` for `service`',
      ),
    reason: z.string().optional().describe('One sentence on why it is not valid or not trusted'),
    signer: signerSummary.optional().describe('The last signer'),
    signers: z.array(signerSummary).optional().describe('All signers in order'),
    document: z.object({
      contentType: z.string(),
      bytes: z.number().int(),
      sha256: z.string().describe('Hexadecimal'),
      pages: z.number().int().optional().describe('PDF only'),
    }),
    verdict: z.enum(VERDICTS),
    ...answers,
    provenTime: z
      .string()
      .optional()
      .describe('If `time` is `proven`: all signatures existed at this time, ISO 8601'),
    claimedSigningTime: z.string().optional().describe('Latest time stated by a signer, ISO 8601'),
    documentModified: z
      .enum(['no', 'permitted', 'forbidden'])
      .describe('Whether the document was changed after signing'),
    validationTime: z.string().describe('ISO 8601'),
    signatures: z.array(verifiedSignature),
    emptyFields: z
      .array(signaturePlace)
      .optional()
      .describe('PDF only: the signature fields that are not signed, at most 200. Absent if there are none'),
    auditTrail: z.object({
      present: z.boolean(),
      chain: z
        .enum(['intact', 'broken', 'unreadable'])
        .optional()
        .describe('Whether its hashes match its entries'),
      sealed: z.boolean().optional().describe('Whether every signature covers the audit trail'),
      id: z.string().optional(),
      hash: z.string().optional().describe('The last hash of the chain'),
      inputSha256: z.string().optional(),
      entries: z.number().int().optional().describe('Number of entries'),
      events: z
        .array(
          z.object({
            type: z.enum(['document', ...AUDIT_EVENTS]),
            time: z
              .string()
              .describe(
                'The clock of the service for `document`; otherwise claimed by the caller that had it signed',
              ),
            data: z.string().optional().describe('As text, cut to 500 characters'),
            hash: z.string().describe('SHA-256, hexadecimal'),
          }),
        )
        .optional()
        .describe('The first 200 entries. They are claims unless `chain` is `intact` and `sealed` is true'),
      eventsLeftOut: z.number().int().optional().describe('Number of entries that are not listed'),
    }),
    pictures: z
      .array(picture)
      .optional()
      .describe(
        'If requested: the pages that were changed after the first signature, page by page. Pages that readers draw otherwise come first, by each of them',
      ),
    picturesLeftOut: z.number().int().optional().describe('Number of pictures that are not in the reply'),
  })
  .meta({ id: 'VerifyReport' });
export type VerifyReply = z.infer<typeof verifyReply>;
