import { shownText } from '../audit/shown-text.ts';
import type { Qualification } from '../lists/qualification.ts';
import { shownSecond } from './sentences.ts';

const TEXT_CHARS_MAX = 300;
const plain = (text: string): string => shownText(text, TEXT_CHARS_MAX);

/** Says what the trusted lists make of a signature, and which service decided. */
export function qualificationFacts(
  qualification: Qualification | undefined,
): { label: string; value: string }[] {
  if (qualification === undefined) return [];
  const { reason, service, isTimestampQualified } = qualification;
  const facts = [{ label: 'By EU trusted lists', value: plain(reason) }];
  if (isTimestampQualified !== undefined)
    facts.push({
      label: 'Its time-stamp',
      value: isTimestampQualified ? 'A qualified electronic time-stamp' : 'Not a qualified one',
    });
  if (service === undefined) return facts;
  const { provider, name, type, status, since, list } = service;
  const of = `list ${list.sequenceNumber} of ${list.territory}, ${shownSecond(list.issued)}`;
  return [
    ...facts,
    {
      label: 'Service',
      value: plain(`${name} (${provider}): ${type}, ${status} since ${shownSecond(since)}`),
    },
    { label: 'Trusted list', value: of },
  ];
}
