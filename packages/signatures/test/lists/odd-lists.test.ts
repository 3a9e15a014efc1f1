import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { identifier, octetString, sequence } from '@scriptorium/testing/pki/der';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { qcStatements, type StateContent, trustedList } from '@scriptorium/testing/pki/trusted-list';
import { openList } from '../../src/lists/open-list.ts';
import { qualify } from '../../src/lists/qualify.ts';
import { TrustedLists } from '../../src/lists/trusted-lists.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const NOW = new Date();
const BEFORE = new Date('2014-01-01T00:00:00Z');
const statement = (...parts: Buffer[]) =>
  sequence(identifier('1.3.6.1.5.5.7.1.3'), octetString(sequence(...parts)));
const COMPLIANT = sequence(identifier('0.4.0.1862.1.1'));
const IN_DEVICE = sequence(identifier('0.4.0.1862.1.4'));
const typed = (...ids: string[]) =>
  statement(COMPLIANT, IN_DEVICE, sequence(identifier('0.4.0.1862.1.6'), sequence(...ids.map(identifier))));

interface Case {
  states?: Partial<StateContent>[];
  statements?: Buffer;
  notBefore?: Date;
  time?: Date;
  edit?: (xml: string) => string;
}

async function judged({ states = [{}], statements, notBefore, time = NOW, edit }: Case): Promise<string> {
  const who = await pki.issue({
    name: 'Ada',
    notBefore: notBefore ?? new Date(NOW.getTime() - 3_600_000),
    otherExtensions: [statements ?? qcStatements('signature')],
  });
  const since = new Date('2018-01-01T00:00:00Z');
  const content = {
    services: [{ identities: [pki.intermediate], states: states.map((each) => ({ since, ...each })) }],
  };
  const operator = pki.intermediate;
  const bytes = trustedList(content, operator, edit && { before: edit });
  const { list } = openList(bytes, { signers: [readCertificate(operator.der)], now: NOW });
  const lists = new TrustedLists({
    listOfLists: list,
    lists: [{ ...list, signedBy: '' }],
    missing: [],
  });
  const { result, kind } = qualify(lists, {
    path: who.chain.slice(0, 2).map(readCertificate),
    verdict: 'valid',
    isRevocationKnown: true,
    time,
    validationTime: NOW,
    isTimestamp: false,
  });
  return `${result} ${kind}`;
}

const inDevice = (criteria: string, qualifiers = ['QCWithQSCD']): Case => ({
  states: [{ qualifications: [{ qualifiers, criteria }] }],
  statements: qcStatements('signature', { isInDevice: false }),
});
const listed = (assert: string, xml: string) => `<s:CriteriaList assert="${assert}">${xml}</s:CriteriaList>`;
const EMPTY = '<s:CriteriaList assert="all"></s:CriteriaList>';

test.each<[string, string, () => Case]>([
  ['qualified signature', 'nothing odd', () => ({})],
  ['qualified signature', 'criteria that all meet', () => inDevice(EMPTY)],
  ['indeterminate unknown', 'no criteria', () => inDevice('')],
  [
    'indeterminate unknown',
    'criteria of another namespace',
    () => inDevice('<CriteriaList assert="all"></CriteriaList>'),
  ],
  ['indeterminate unknown', 'no policy', () => inDevice(listed('all', '<s:PolicySet></s:PolicySet>'))],
  [
    'indeterminate unknown',
    'a policy without identifier',
    () => inDevice(listed('none', '<s:PolicySet><s:PolicyIdentifier></s:PolicyIdentifier></s:PolicySet>')),
  ],
  ['indeterminate unknown', 'no key usage', () => inDevice(listed('all', '<s:KeyUsage></s:KeyUsage>'))],
  [
    'indeterminate unknown',
    'an unknown qualifier',
    () => ({ states: [{ qualifications: [{ qualifiers: ['QCNoQscd'], criteria: EMPTY }] }] }),
  ],
  [
    'indeterminate unknown',
    'a critical extension, as a digit',
    () => ({ states: [{ extension: '<Extension Critical="1"><Unheard></Unheard></Extension>' }] }),
  ],
  [
    'indeterminate unknown',
    'history later than the current state',
    () => ({ states: [{ status: 'withdrawn' }, { since: new Date('2020-01-01T00:00:00Z') }] }),
  ],
  [
    'notQualified signature',
    'two states that began together',
    () => ({ states: [{ status: 'withdrawn' }, {}] }),
  ],
  [
    'notQualified signature',
    'only a future state',
    () => ({ states: [{ since: new Date('2100-01-01T00:00:00Z') }] }),
  ],
  [
    'notQualified signature',
    'a status from before the regulation',
    () => ({ states: [{ status: 'undersupervision', since: new Date('2010-01-01T00:00:00Z') }] }),
  ],
  ['indeterminate unknown', 'a type that is not known', () => ({ statements: typed('0.4.0.1862.1.6.9') })],
  [
    'indeterminate unknown',
    'an unknown type beside a known one',
    () => ({ statements: typed('0.4.0.1862.1.6.1', '0.4.0.1862.1.6.9') }),
  ],
  [
    'indeterminate unknown',
    'a qualifier for legal persons, before the regulation',
    () => ({
      notBefore: BEFORE,
      states: [
        {
          since: new Date('2016-07-01T00:00:00Z'),
          qualifications: [{ qualifiers: ['QCForLegalPerson'], criteria: EMPTY }],
        },
        {
          since: new Date('2010-01-01T00:00:00Z'),
          status: 'accredited',
          qualifications: [{ qualifiers: ['QCForLegalPerson'], criteria: EMPTY }],
        },
      ],
    }),
  ],
  [
    'notQualified signature',
    'a qualifier for legal persons, since the regulation',
    () => ({ states: [{ qualifications: [{ qualifiers: ['QCForLegalPerson'], criteria: EMPTY }] }] }),
  ],
  [
    'indeterminate unknown',
    'a use that the service is not listed for',
    () => ({
      states: [
        {
          additional: [],
          qualifications: [{ qualifiers: ['QCForESig', 'QCStatement', 'QCWithQSCD'], criteria: EMPTY }],
        },
      ],
      statements: statement(IN_DEVICE),
    }),
  ],
  [
    'notQualified signature',
    'a status in another spelling',
    () => ({ edit: (xml) => xml.replace('Svcstatus/granted', 'Svcstatus/Granted') }),
  ],
])('%s: %s', async (expected, _what, odd) => {
  expect(await judged(odd())).toBe(expected);
});
