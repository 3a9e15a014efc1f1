import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type {
  AnnotateRequest,
  BatchRequest,
  ConvertData,
  Field,
  Generation,
  InspectRequest,
  MergeRequest,
  SignRequest,
  VerifyRequest,
} from '../src/api-types.gen.ts';

/** The schemas of requests, by name: each wrong body is refused by the compiler and by its schema. */
interface Bodies {
  AnnotateRequest: AnnotateRequest;
  BatchRequest: BatchRequest;
  InspectRequest: InspectRequest;
  Field: Field;
  Generation: Generation;
  MergeRequest: MergeRequest;
  SignRequest: SignRequest;
  VerifyRequest: VerifyRequest;
}

const reference = new URL('../../../docs/reference/openapi.json', import.meta.url);
const { components } = JSON.parse(await readFile(reference, 'utf8')) as { components: object };
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'https://api.example/openapi.json', components });

const cases: [name: keyof Bodies, body: unknown, isRight: boolean][] = [];
const right = <Name extends keyof Bodies>(name: Name, body: Bodies[Name]) => cases.push([name, body, true]);
const wrong = <Name extends keyof Bodies>(name: Name, body: Bodies[Name]) => cases.push([name, body, false]);

const document = { base64: 'UEs=' };
const text = { id: 'a', type: 'text', value: 'b' } as const;
const signer = { name: 'Ada', email: 'ada@example.com' };
const auditTrail: SignRequest['auditTrail'] = [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }];
const image = 'data:image/png;base64,AA==';

right('AnnotateRequest', { document: { url: 'https://example.com/a.docx' }, fields: [text] });
right('AnnotateRequest', {
  document,
  fields: [{ group: 'g', type: 'table', value: [['a', 1, true, null]] }],
});
right('Field', { id: 'a', group: 'g', type: 'image', value: image, options: { dimensions: { width: 1 } } });
right('Generation', { document, data: { any: ['thing', 1] }, options: { locale: 'de-CH' } });
right('Generation', { document, fields: [text], sign: { signer, auditTrail } });
right('SignRequest', { document, signer, auditTrail, key: { profile: 'seal' }, lockFields: { all: true } });
right('VerifyRequest', { document, trust: { profile: 'service' }, revocation: 'none' });
right('MergeRequest', { documents: [{ base64: 'UEs=' }, { url: 'https://a.example', break: 'odd' }] });
right('BatchRequest', {
  document,
  rows: [
    { id: 1, data: {} },
    { fields: [text], name: 'Ada' },
  ],
});

// @ts-expect-error nothing
wrong('AnnotateRequest', {});
// @ts-expect-error no fields
wrong('AnnotateRequest', { document });
// @ts-expect-error no document
wrong('AnnotateRequest', { fields: [text] });
// @ts-expect-error an empty document
wrong('AnnotateRequest', { document: {}, fields: [text] });
// @ts-expect-error a document in two ways
wrong('AnnotateRequest', { document: { base64: 'UEs=', url: 'https://a.example' }, fields: [] });
// @ts-expect-error a document as a text
wrong('AnnotateRequest', { document: 'UEs=', fields: [] });
// @ts-expect-error fields that are none
wrong('AnnotateRequest', { document, fields: [42, null, 'nonsense'] });
// @ts-expect-error an unknown property
wrong('AnnotateRequest', { document, fields: [], flatten: true });
// @ts-expect-error a property of documents that does not exist
wrong('InspectRequest', { document: { base64: 'UEs=', name: 'a.docx' } });
// @ts-expect-error no target
wrong('Field', { type: 'text', value: 'b' });
// @ts-expect-error no value
wrong('Field', { id: 'a', type: 'text' });
// @ts-expect-error an unknown type
wrong('Field', { id: 'a', type: 'video', value: 'b' });
// @ts-expect-error a number as the target
wrong('Field', { id: 1, type: 'text', value: 'b' });
// @ts-expect-error a table as a text
wrong('Field', { id: 'a', type: 'text', value: [['b']] });
// @ts-expect-error a text as a table
wrong('Field', { id: 'a', type: 'table', value: 'b' });
// @ts-expect-error cells that are objects
wrong('Field', { id: 'a', type: 'table', value: [[{}]] });
// @ts-expect-error an option of another type
wrong('Field', { id: 'a', type: 'text', value: 'b', options: { dimensions: { width: 1 } } });
// @ts-expect-error an option of signatures for an image
wrong('Field', { id: 'a', type: 'image', value: image, options: { arcElement: {} } });
// @ts-expect-error a misspelled property
wrong('Field', { id: 'a', type: 'signature', value: image, option: {} });
// @ts-expect-error neither data nor fields
wrong('Generation', { document });
// @ts-expect-error both data and fields
wrong('Generation', { document, data: {}, fields: [text] });
// @ts-expect-error an unknown way to treat missing values
wrong('Generation', { document, data: {}, options: { onMissing: 'ignore' } });
// @ts-expect-error a switch as a text
wrong('Generation', { document, data: {}, convert: { pdfua: 'true' } });
// @ts-expect-error a document to sign beside the one that is made
wrong('Generation', { document, data: {}, sign: { document, signer, auditTrail } });
// @ts-expect-error an unknown event
wrong('SignRequest', { document, signer, auditTrail: [{ type: 'click', timestamp: '' }] });
// @ts-expect-error a signer without an address
wrong('SignRequest', { document, signer: { name: 'Ada' }, auditTrail });
// @ts-expect-error a key that is none
wrong('SignRequest', { document, signer, auditTrail, key: { nonsense: 1 } });
// @ts-expect-error two keys
wrong('SignRequest', { document, key: { profile: 'a', p12: { base64: 'UEs=', password: '' } } });
// @ts-expect-error a level that does not exist
wrong('SignRequest', { document, signer, auditTrail, level: 'B-C' });
// @ts-expect-error fields to lock in two ways
wrong('SignRequest', { document, signer, auditTrail, lockFields: { all: true, include: ['a'] } });
// @ts-expect-error a source of revocation data that does not exist
wrong('VerifyRequest', { document, revocation: 'offline' });
// @ts-expect-error an anchor that is not a text
wrong('VerifyRequest', { document, trust: { anchors: [1] } });
// @ts-expect-error documents without a source
wrong('MergeRequest', { documents: [{ break: 'odd' }] });
// @ts-expect-error a break that does not exist
wrong('MergeRequest', { documents: [{ base64: 'UEs=', break: 'column' }] });
// @ts-expect-error a row with nothing to fill
wrong('BatchRequest', { document, rows: [{ id: 1 }] });
// @ts-expect-error rows that are none
wrong('BatchRequest', { document, rows: ['Ada'] });

// @ts-expect-error a query without the required format
const withoutFrom: ConvertData['query'] = { to: 'pdf' };

describe('the types of requests', () => {
  test.each(cases)('and the schema of %s agree on %j', (name, body, isRight) => {
    const isValid = ajv.compile({
      $ref: `https://api.example/openapi.json#/components/schemas/${name}`,
    });
    expect(isValid(body)).toBe(isRight);
  });

  test('refuse at least thirty wrong bodies', () => {
    expect(cases.filter(([, , isRight]) => !isRight).length).toBeGreaterThanOrEqual(30);
    expect(withoutFrom).toEqual({ to: 'pdf' });
  });
});
