import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PdfError } from '@scriptorium/pdf/error';
import { openPdf } from '@scriptorium/pdf/read';
import { editDict } from '@scriptorium/pdf/update';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { ENCRYPTION_KINDS, encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { addAuditTrail } from '../src/audit/embed-pdf.ts';
import { readPdfEvidence } from '../src/pades/pdf-evidence.ts';
import { preparePdf } from '../src/pades/sign-pdf.ts';
import { recordOf } from './audit/records.ts';
import { updated } from './pdf-edits.ts';
import { RESERVE, SIGNING_TIME, signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const SIGNING = { reserve: RESERVE, signingTime: SIGNING_TIME, allowBrokenSignatures: false };

function codeOf(pdf: Buffer, password?: string): string {
  try {
    openPdf(pdf, password);
    return 'opened';
  } catch (error) {
    return error instanceof PdfError ? error.code : String(error);
  }
}

describe.each(ENCRYPTION_KINDS)('a document with %s', (kind) => {
  test('opens with either of its passwords only', async () => {
    const pdf = await encryptedBy(plainPdf(), { kind, user: 'of user', owner: 'of owner' });
    const codes = [undefined, '', 'of User', 'of user', 'of owner'].map((password) => codeOf(pdf, password));
    const required = 'PASSWORD_REQUIRED';
    expect(codes).toEqual([required, required, 'PASSWORD_WRONG', 'opened', 'opened']);
  });

  test('opens without a password if that of its user is empty, but not with a wrong one', async () => {
    const pdf = await encryptedBy(plainPdf(), { kind });
    expect([codeOf(pdf), codeOf(pdf, 'x')]).toEqual(['opened', 'PASSWORD_WRONG']);
  });

  test.each(['Größe', 'p€ss–wörd', 'x'.repeat(100)])('opens with the password %s', async (user) => {
    const pdf = await encryptedBy(plainPdf(), { kind, user });
    expect(await pdfText(pdf, user)).toEqual(expect.any(String));
    expect(codeOf(pdf, user)).toBe('opened');
  });
});

describe('with the password of its user', () => {
  const NO_CHANGES = ['--modify=none'];
  const field = { field: 'Signature' };
  test.each<[string, readonly string[], object, boolean]>([
    ['that permits all but printing takes a new signature', ['--print=none'], {}, true],
    ['that permits no changes takes no new signature', NO_CHANGES, {}, false],
    ['that permits no changes takes no signature in a field', NO_CHANGES, field, false],
    ['that permits form filling takes a signature in a field', ['--modify=form'], field, true],
    ['that permits form filling takes no new signature', ['--modify=form'], {}, false],
    [
      'that permits form filling takes no certification',
      ['--modify=form'],
      { ...field, certify: 'formFilling' },
      false,
    ],
    ['that permits annotations takes a signature in a field', ['--modify=annotate'], field, true],
    ['that permits annotations takes no new signature', ['--modify=annotate'], {}, false],
  ])('a document %s', async (_, restrictions, options, isPermitted) => {
    const pdf = await encryptedBy(formPdf(), { restrictions });
    const prepared = preparePdf(pdf, { ...SIGNING, ...options });
    if (isPermitted) await prepared;
    else await expect(prepared).rejects.toMatchObject({ code: 'DOCUMENT_LOCKED' });
    await preparePdf(pdf, { ...SIGNING, ...options, password: 'owner' });
  });

  test('a document that permits only form filling takes no audit trail', async () => {
    const pdf = await encryptedBy(formPdf(), { restrictions: ['--modify=form'] });
    const record = recordOf({}, pdf);
    expect(await addAuditTrail(pdf, record, { pages: true })).toBeUndefined();
    expect(await addAuditTrail(pdf, record, { pages: true, password: 'owner' })).toBeDefined();
  });
});

const hex = (bytes: number): string => `<${'00'.repeat(bytes)}>`;
const R3 = `/Filter/Standard/V 2/R 3/Length 128/P -4/O${hex(32)}/U${hex(32)}`;
const R4 = `/Filter/Standard/V 4/R 4/Length 128/P -4/O${hex(32)}/U${hex(32)}`;
const R6 = `/Filter/Standard/V 5/R 6/Length 256/P -4/O${hex(48)}/U${hex(48)}/OE${hex(32)}/UE${hex(32)}/Perms${hex(16)}`;
const AES = '/CF<</StdCF<</CFM/AESV3>>>>/StmF/StdCF/StrF/StdCF';

test.each<[string, string, string]>([
  ['with intact entries of revision 3 and no matching password', `<<${R3}>>`, 'PASSWORD_REQUIRED'],
  ['with intact entries of revision 6 and no matching password', `<<${R6}${AES}>>`, 'PASSWORD_REQUIRED'],
  ['that is a number', '7', 'INVALID_FILE_FORMAT'],
  ['that is missing', '99 0 R', 'INVALID_FILE_FORMAT'],
  ['that is empty', '<<>>', 'INVALID_FILE_FORMAT'],
  ['for certificates', '<</Filter/Adobe.PubSec/V 4/SubFilter/adbe.pkcs7.s5>>', 'DOCUMENT_ENCRYPTED'],
  ['of an unknown handler', '<</Filter/FOPN_fLock/V 1>>', 'DOCUMENT_ENCRYPTED'],
  ['of version 3', `<<${R3.replace('/V 2', '/V 3')}>>`, 'DOCUMENT_ENCRYPTED'],
  ['of version 6', `<<${R3.replace('/V 2', '/V 6')}>>`, 'DOCUMENT_ENCRYPTED'],
  [
    'of a version that is a key of objects',
    `<<${R3.replace('/V 2', '/V/constructor')}>>`,
    'INVALID_FILE_FORMAT',
  ],
  ['of a version with another revision', `<<${R3.replace('/R 3', '/R 6')}>>`, 'INVALID_FILE_FORMAT'],
  ['of a revision that is not whole', `<<${R3.replace('/R 3', '/R 3.5')}>>`, 'INVALID_FILE_FORMAT'],
  ['with a short /O', `<<${R3.replace(`/O${hex(32)}`, `/O${hex(31)}`)}>>`, 'INVALID_FILE_FORMAT'],
  ['with a short /U', `<<${R6.replace(`/U${hex(48)}`, '/U()')}${AES}>>`, 'INVALID_FILE_FORMAT'],
  ['without /OE', `<<${R6.replace('/OE', '/XX')}${AES}>>`, 'INVALID_FILE_FORMAT'],
  ['with a short /Perms', `<<${R6.replace(hex(16), '<00>')}${AES}>>`, 'INVALID_FILE_FORMAT'],
  ['without /P', `<<${R3.replace('/P -4', '')}>>`, 'INVALID_FILE_FORMAT'],
  ['with a negative key length', `<<${R3.replace('128', '-8')}>>`, 'INVALID_FILE_FORMAT'],
  ['with a key length of 129 bits', `<<${R3.replace('128', '129')}>>`, 'INVALID_FILE_FORMAT'],
  ['with a huge key length', `<<${R3.replace('128', '99999999999999')}>>`, 'INVALID_FILE_FORMAT'],
  ['with a key twice', `<<${R3}/V 2>>`, 'INVALID_FILE_FORMAT'],
  ['with a crypt filter that is missing', `<<${R4}/StmF/Missing>>`, 'INVALID_FILE_FORMAT'],
  ['with a crypt filter for another version', `<<${R4}${AES}>>`, 'INVALID_FILE_FORMAT'],
  ['with a crypt filter without a method', `<<${R4}/CF<</A<</CFM/None>>>>/StmF/A>>`, 'INVALID_FILE_FORMAT'],
  ['with crypt filters that refer to themselves', `<<${R4}/CF 6 0 R/StmF/A>>`, 'INVALID_FILE_FORMAT'],
  ['with crypt filters that are references in a circle', `<<${R4}/CF 7 0 R/StmF/A>>`, 'INVALID_FILE_FORMAT'],
  ['that refers to itself', '7 0 R', 'INVALID_FILE_FORMAT'],
])('a document with an encryption dictionary %s is refused', (_, dictionary, code) => {
  const pdf = classicPdf(onePage('', '', ['<</A 6 0 R>>', '7 0 R']), `/Encrypt ${dictionary}`);
  expect(codeOf(pdf)).toBe(code);
});

describe('an update of a signed document', () => {
  const encrypted = async () => signed(await encryptedBy(plainPdf()), key);
  const modificationsOf = (pdf: Buffer) =>
    readPdfEvidence(pdf).signatures.flatMap(({ modifications }) => modifications);
  const faultsOf = (pdf: Buffer) =>
    readPdfEvidence(pdf).signatures.flatMap(({ faults }) => faults.map(({ code }) => code));
  const FORBIDDEN = { code: 'STRUCTURE', level: 'forbidden', object: 'trailer', path: '/Encrypt' };

  test('that changes nothing is permitted', async () => {
    const pdf = updated(await encrypted(), () => {});
    expect([modificationsOf(pdf), faultsOf(pdf)]).toEqual([[], []]);
  });

  test('that changes the permissions is forbidden', async () => {
    const pdf = updated(await encrypted(), (update) => {
      const { document } = update;
      const { dict, ref } = document.owned(document.trailer, 'Encrypt');
      if (!dict || !ref) throw new Error('the document has no encryption dictionary');
      update.replace(ref, editDict(dict, { P: '-3904' }));
    });
    expect(modificationsOf(pdf)).toContainEqual(
      expect.objectContaining({ level: 'forbidden', path: '/Encrypt' }),
    );
    expect(faultsOf(pdf)).toContain('STRUCTURE_BROKEN');
  });

  test.each([
    ['removes the encryption', (trailer: string) => trailer.replace(/\/Encrypt \d+ 0 R/, '')],
    [
      'names another encryption',
      (trailer: string) =>
        trailer.replace(/\/Encrypt \d+ 0 R/, `/Encrypt<<${R3.replace('Length 128', 'Length 40')}>>`),
    ],
  ])('that %s is forbidden or not read', async (_, change) => {
    const pdf = updated(await encrypted(), () => {});
    const at = pdf.lastIndexOf('trailer');
    const changed = Buffer.concat([
      pdf.subarray(0, at),
      Buffer.from(change(pdf.toString('latin1', at)), 'latin1'),
    ]);
    if (codeOf(changed) !== 'opened') return expect(codeOf(changed)).toBe('PASSWORD_REQUIRED');
    expect(modificationsOf(changed)).toContainEqual(expect.objectContaining(FORBIDDEN));
    expect(faultsOf(changed)).toContain('STRUCTURE_BROKEN');
  });
});
