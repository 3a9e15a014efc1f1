import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { identifier, octetString, sequence } from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import {
  type ListContent,
  qcStatements,
  type ServiceContent,
  type StateContent,
} from '@scriptorium/testing/pki/trusted-list';
import { type Qualifiable, qualify } from '../../src/lists/qualify.ts';
import { listsOf } from './a-list.ts';

let pki: Pki;
let operator: Identity;
beforeAll(async () => {
  pki = await createPki();
  operator = await pki.issue({ name: 'Operator of the list' });
});
afterAll(() => pki.close());

const extensionOf = (id: string, value: Buffer) => sequence(identifier(id), octetString(value));
const HOUR_MS = 3_600_000;
const ago = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);
const LONG_AGO = new Date('2018-01-01T00:00:00Z');

/** A signer whose certificate was issued ten hours ago. */
const signer = (...extensions: Buffer[]): Promise<Identity> =>
  pki.issue({ name: 'Ada', notBefore: ago(10), otherExtensions: extensions });
const qualified = (): Promise<Identity> => signer(qcStatements('signature'));

const pathOf = ({ chain }: Identity) => chain.slice(0, 2).map(readCertificate);
const serviceOf = (...states: StateContent[]): ServiceContent => ({ identities: [pki.intermediate], states });
const granted = (change: Partial<StateContent> = {}): StateContent => ({ since: LONG_AGO, ...change });
const withdrawn = (since: Date): StateContent => ({ since, status: 'withdrawn' });

async function judged(
  who: Identity,
  services: ServiceContent[] | ListContent[],
  change: Partial<Qualifiable> = {},
): Promise<string> {
  const isLists = services.some((each) => !('identities' in each));
  const lists = isLists ? (services as ListContent[]) : [{ services: services as ServiceContent[] }];
  const now = new Date();
  const { result, kind } = qualify(await listsOf(operator, ...lists), {
    path: pathOf(who),
    verdict: 'valid',
    isRevocationKnown: true,
    time: now,
    validationTime: now,
    isTimestamp: false,
    ...change,
  });
  return `${result} ${kind}`;
}

const overruled = (qualifiers: string[], criteria = '<s:CriteriaList assert="all"></s:CriteriaList>') =>
  serviceOf(granted({ qualifications: [{ qualifiers, criteria }] }));
const usage = (value: boolean) =>
  `<s:KeyUsage><s:KeyUsageBit name="nonRepudiation">${value}</s:KeyUsageBit></s:KeyUsage>`;
const policy = (id: string) =>
  `<s:PolicySet><s:PolicyIdentifier><x:Identifier xmlns:x="http://uri.etsi.org/01903/v1.3.2#">${id}</x:Identifier></s:PolicyIdentifier></s:PolicySet>`;
const criteria = (assert: string, ...of: string[]) =>
  `<s:CriteriaList assert="${assert}">${of.join('')}</s:CriteriaList>`;
const other = (xml: string) =>
  `<s:otherCriteriaList>${xml.replace(/^<(\w+)/, '<$1 xmlns="http://uri.etsi.org/02231/v2/additionaltypes#"')}</s:otherCriteriaList>`;
const ids = (element: string, id: string) =>
  `<${element}><x:Identifier xmlns:x="http://uri.etsi.org/01903/v1.3.2#">urn:oid:${id}</x:Identifier></${element}>`;

describe('a signature is', () => {
  test.each<[string, string, Buffer[]]>([
    ['qualified signature', 'a qualified signature, as its certificate says', [qcStatements('signature')]],
    ['qualified signature', 'a qualified signature without a type', [qcStatements(undefined)]],
    ['qualified seal', 'a qualified seal, as its certificate says', [qcStatements('seal')]],
    [
      'advanced signature',
      'advanced without a qualified device',
      [qcStatements('signature', { isInDevice: false })],
    ],
    ['notQualified web', 'not qualified by a certificate for web sites', [qcStatements('web')]],
    ['notQualified unknown', 'not qualified by a plain certificate', []],
    [
      'notQualified signature',
      'not qualified by the law of another country',
      [qcStatements('signature', { isForeign: true })],
    ],
  ])('%s: %s', async (result, _why, extensions) => {
    const all = ['ForeSignatures', 'ForeSeals', 'ForWebSiteAuthentication'];
    expect(await judged(await signer(...extensions), [serviceOf(granted({ additional: all }))])).toBe(result);
  });

  test('not qualified without a service for its use', async () => {
    const services = [serviceOf(granted({ additional: ['ForeSeals'] }))];
    expect(await judged(await qualified(), services)).toBe('notQualified signature');
  });

  test('not qualified without a service of a list, as one with the name of its authority but another key', async () => {
    const namesake = await pki.issue({ name: 'Test Issuer', issuer: pki.root, ca: {} });
    const service = { identities: [namesake], states: [granted()] };
    expect(await judged(await qualified(), [service])).toBe('notQualified unknown');
    expect(await judged(await qualified(), [{ territory: 'FR', services: [service] }])).toBe(
      'notQualified unknown',
    );
  });

  test('not qualified if it is invalid, and indeterminate if it is in doubt', async () => {
    const who = await qualified();
    expect(await judged(who, [serviceOf(granted())], { verdict: 'invalid' })).toBe('notQualified unknown');
    expect(await judged(who, [serviceOf(granted())], { verdict: 'indeterminate' })).toBe(
      'indeterminate signature',
    );
    expect(await judged(who, [serviceOf(granted())], { isRevocationKnown: false })).toBe(
      'indeterminate signature',
    );
  });

  test('indeterminate by a list that should have been replaced', async () => {
    const content = { services: [serviceOf(granted())], nextUpdate: ago(1) };
    expect(await judged(await qualified(), [content])).toBe('indeterminate signature');
    expect(await judged(await qualified(), [content], { validationTime: ago(2) })).toBe(
      'qualified signature',
    );
  });
});

describe('the status of the service counts', () => {
  test.each<[string, string, () => StateContent[], number | undefined]>([
    ['withdrawn after it', 'qualified signature', () => [withdrawn(ago(1)), granted()], 2],
    ['withdrawn before it', 'notQualified signature', () => [withdrawn(ago(3)), granted()], 2],
    [
      'withdrawn after a time that nothing proves',
      'notQualified signature',
      () => [withdrawn(ago(1)), granted()],
      undefined,
    ],
    [
      'withdrawn when the certificate was issued',
      'notQualified signature',
      () => [granted({ since: ago(5) }), withdrawn(LONG_AGO)],
      2,
    ],
    ['granted only after it', 'notQualified signature', () => [granted({ since: ago(1) })], 2],
    ['of another type then', 'notQualified signature', () => [granted({ type: 'CA/PKC' })], 2],
    [
      'recognised at national level',
      'notQualified signature',
      () => [granted({ status: 'recognisedatnationallevel' })],
      2,
    ],
    [
      'under supervision, which there was before 2016 only',
      'notQualified signature',
      () => [granted({ status: 'undersupervision' })],
      2,
    ],
  ])('at the time of signing: %s', async (_what, result, states, signedAgo) => {
    const time = signedAgo === undefined ? {} : { time: ago(signedAgo) };
    expect(await judged(await qualified(), [serviceOf(...states())], time)).toBe(result);
  });

  test('of all services with its key: they must not contradict each other', async () => {
    const who = await qualified();
    const [first, second] = [serviceOf(granted()), serviceOf(granted())];
    expect(await judged(who, [first, second])).toBe('qualified signature');
    expect(await judged(who, [first, serviceOf(withdrawn(LONG_AGO))])).toBe('indeterminate unknown');
    expect(
      await judged(who, [
        { services: [first] },
        { territory: 'FR', services: [overruled(['NotQualified'])] },
      ]),
    ).toBe('indeterminate unknown');
  });

  test('before the regulation by the statuses of then', async () => {
    const old = await pki.issue({
      name: 'Ada',
      notBefore: new Date('2014-01-01T00:00:00Z'),
      otherExtensions: [qcStatements(undefined)],
    });
    const states = [
      granted({ since: new Date('2016-07-01T00:00:00Z') }),
      granted({ since: new Date('2010-01-01T00:00:00Z'), status: 'accredited', additional: [] }),
    ];
    const time = new Date('2015-01-01T00:00:00Z');
    expect(await judged(old, [serviceOf(...states)], { time })).toBe('qualified signature');
    expect(await judged(old, [serviceOf(...states)])).toBe('qualified signature');
  });
});

describe('a list overrules the certificate', () => {
  test.each<[string, string, string[]]>([
    ['notQualified signature', 'that is not qualified', ['NotQualified']],
    ['notQualified signature', 'in two ways at once', ['NotQualified', 'QCStatement']],
    ['advanced signature', 'that is in no device', ['QCNoQSCD']],
    ['advanced signature', 'with words from before the regulation', ['QCNoSSCD']],
    ['advanced signature', 'in a contradiction about the device', ['QCWithQSCD', 'QCNoQSCD']],
    ['qualified signature', 'as in the certificate', ['QCQSCDStatusAsInCert']],
    ['qualified seal', 'that is for seals', ['QCForESeal']],
    ['indeterminate unknown', 'that is for signatures and seals', ['QCForESig', 'QCForESeal']],
    ['indeterminate unknown', 'that is for web sites, which the service is not', ['QCForWSA']],
  ])('%s: %s', async (result, _why, qualifiers) => {
    expect(await judged(await qualified(), [overruled(qualifiers)])).toBe(result);
  });

  test('that does not say itself that it is qualified', async () => {
    const silent = await signer();
    expect(await judged(silent, [overruled(['QCStatement', 'QCForESig', 'QCWithQSCD'])])).toBe(
      'qualified signature',
    );
    expect(await judged(silent, [overruled(['QCStatement', 'QCForESig'])])).toBe('advanced signature');
  });

  test.each<[string, boolean | undefined, string]>([
    ['a key usage that it has', true, criteria('all', usage(true))],
    ['a key usage that it has, and must not have', false, criteria('all', usage(false))],
    ['none of what it has', false, criteria('none', usage(true))],
    ['none of what it does not have', true, criteria('none', usage(false), policy('1.2.3'))],
    ['one of two', true, criteria('atLeastOne', policy('1.2.3'), usage(true))],
    ['both, of which it has one', false, criteria('all', policy('1.2.3'), usage(true))],
    ['a policy that it has, written as an URN', true, criteria('all', policy('urn:oid:1.2.40'))],
    ['a list in a list', true, criteria('all', criteria('atLeastOne', usage(true), policy('1.2.3')))],
    [
      'an extended key usage',
      true,
      criteria(
        'all',
        other(`<ExtendedKeyUsage>${ids('KeyPurposeId', '1.3.6.1.5.5.7.3.36')}</ExtendedKeyUsage>`),
      ),
    ],
    [
      'another extended key usage',
      false,
      criteria(
        'all',
        other(`<ExtendedKeyUsage>${ids('KeyPurposeId', '1.3.6.1.5.5.7.3.4')}</ExtendedKeyUsage>`),
      ),
    ],
    [
      'an attribute of its name',
      true,
      criteria(
        'all',
        other(`<CertSubjectDNAttribute>${ids('AttributeOID', '2.5.4.3')}</CertSubjectDNAttribute>`),
      ),
    ],
    [
      'an attribute that it does not have',
      false,
      criteria(
        'all',
        other(`<CertSubjectDNAttribute>${ids('AttributeOID', '2.5.4.5')}</CertSubjectDNAttribute>`),
      ),
    ],
    ['something unknown', undefined, criteria('all', other('<Other></Other>'))],
    [
      'something unknown beside what it does not have',
      false,
      criteria('all', other('<Other></Other>'), policy('1.2.3')),
    ],
    ['an unknown assertion', undefined, criteria('some', usage(true))],
  ])('that meets its criteria: %s', async (_what, isMet, xml) => {
    const policies = extensionOf('2.5.29.32', sequence(sequence(identifier('1.2.40'))));
    const who = await pki.issue({
      name: 'Ada',
      notBefore: ago(10),
      extendedKeyUsage: ['documentSigning'],
      otherExtensions: [qcStatements('signature'), policies],
    });
    const expected =
      isMet === undefined ? 'indeterminate unknown' : `${isMet ? 'advanced' : 'qualified'} signature`;
    expect(await judged(who, [overruled(['QCNoQSCD'], xml)])).toBe(expected);
  });

  test('and its own critical extension that is not understood leaves a doubt', async () => {
    const extension = '<Extension Critical="true"><Unheard></Unheard></Extension>';
    expect(await judged(await qualified(), [serviceOf(granted({ extension }))])).toBe(
      'indeterminate unknown',
    );
  });
});

describe('a time-stamp is', () => {
  const stamped = (services: ServiceContent[], change: Partial<Qualifiable> = {}) =>
    judged(pki.tsa, services, { isTimestamp: true, statedTime: ago(2), ...change });
  const authority = (...states: StateContent[]): ServiceContent => ({ identities: [pki.tsa], states });

  test('qualified by a service for time-stamps, at its time and at the time that counts', async () => {
    const type = 'TSA/QTST';
    expect(await stamped([authority(granted({ type }))])).toBe('qualified timestamp');
    expect(await stamped([serviceOf(granted({ type }))])).toBe('qualified timestamp');
    expect(await stamped([authority(granted({ type: 'TSA' }))])).toBe('notQualified timestamp');
    expect(await stamped([serviceOf(granted())])).toBe('notQualified timestamp');
    expect(await stamped([authority(withdrawn(ago(1)), granted({ type }))])).toBe('notQualified timestamp');
    const time = { time: ago(1.5) };
    expect(await stamped([authority({ ...withdrawn(ago(1)), type }, granted({ type }))], time)).toBe(
      'qualified timestamp',
    );
  });
});
