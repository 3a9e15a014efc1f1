import { createHmac } from 'node:crypto';
import { Secret } from '@scriptorium/shared/config';
import { z } from 'zod';

const LOCAL = /^[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_%+-])?$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const TOP = /^[A-Za-z]{2,63}$/;
const ADDRESS_LENGTH_MAX = 254;

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > ADDRESS_LENGTH_MAX || text.includes('..')) return false;
  const labels = text.slice(at + 1).split('.');
  const top = labels.at(-1) ?? '';
  return (
    LOCAL.test(text.slice(0, at)) && labels.length > 1 && labels.every((l) => LABEL.test(l)) && TOP.test(top)
  );
}

/**
 * One plain ASCII address (a strict subset of RFC 5321 §4.1.2), its domain in lower case. Quoting, comments, lists and
 * routes are rejected, since mail programs parse them differently.
 */
export const emailAddress = z
  .string()
  .refine(isAddress, 'must be a plain e-mail address')
  .transform((text) => {
    const at = text.lastIndexOf('@');
    return text.slice(0, at) + text.slice(at).toLowerCase();
  })
  .meta({ description: 'E-mail address', examples: ['you@example.com'] });

/** How a provider reads the addresses of one mailbox. All of these ignore letter case, and a tag after `+`. */
interface Provider {
  /** The first stands for all in limits. */
  domains: readonly string[];
  /** Whether the same name at each of these domains is certainly one mailbox. */
  isOneMailbox?: true;
  /** Characters that it ignores in the name. */
  ignored?: RegExp;
  /** Whether `user.example.com` holds further addresses of `user@example.com`. */
  hasSubdomains?: true;
}

/**
 * https://support.google.com/mail/answer/7436150, https://proton.me/support/addresses-and-aliases,
 * https://support.apple.com/118230, https://www.fastmail.help/hc/en-us/articles/360060591053
 */
const PROVIDERS: readonly Provider[] = [
  { domains: ['gmail.com', 'googlemail.com'], isOneMailbox: true, ignored: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
  { domains: ['icloud.com', 'me.com', 'mac.com'] },
  { domains: ['fastmail.com'], hasSubdomains: true },
  { domains: ['fastmail.fm'], hasSubdomains: true },
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com'].map((domain) => ({ domains: [domain] })),
];

/** Finds the provider of an address, and writes the address in the form without subdomain. */
function readAddress(address: string): { local: string; domain: string; provider: Provider | undefined } {
  const [local = '', domain = ''] = address.split('@');
  const [, user, parent = ''] = /^([^.]+)\.(.+)$/.exec(domain) ?? [];
  const owning = PROVIDERS.find(({ domains, hasSubdomains }) => hasSubdomains && domains.includes(parent));
  if (owning !== undefined && user !== undefined) return { local: user, domain: parent, provider: owning };
  return { local, domain, provider: PROVIDERS.find(({ domains }) => domains.includes(domain)) };
}

/**
 * Returns one address for all addresses of a mailbox at a well-known provider, and other addresses unchanged. Elsewhere `a+b` and
 * `a` may belong to different people. Mails must go to the address that was given.
 */
function mailboxOf(address: string): string {
  const { local, domain, provider } = readAddress(address);
  if (provider === undefined) return address;
  const name = withoutTag(local).toLowerCase();
  const { domains, isOneMailbox, ignored } = provider;
  return `${ignored === undefined ? name : name.replace(ignored, '')}@${isOneMailbox ? domains[0] : domain}`;
}

/** Folds an address further, for limits: where it is not known, addresses with letter case and tags count as one. */
export function foldAddress(address: string): string {
  const { local, domain, provider } = readAddress(mailboxOf(address));
  return `${withoutTag(local.toLowerCase())}@${provider?.domains[0] ?? domain}`;
}

/** Removes a tag, which begins with `+`. */
const withoutTag = (local: string): string => local.split('+')[0] ?? '';

/** Identifies the owner of an address without storing it. All addresses of one mailbox have one owner. */
export function hashAddress(address: string, pepper: Secret): Buffer {
  return hash(pepper, `address:${mailboxOf(address)}`);
}

/** The same for an owner whom the operator names: an address, or any other text. */
export function hashOwner(owner: string, pepper: Secret): Buffer {
  const { data: address } = emailAddress.safeParse(owner);
  return address === undefined ? hash(pepper, `owner:${owner}`) : hashAddress(address, pepper);
}

/** Identifies a mailbox for limits. */
export function hashForLimits(address: string, pepper: Secret): string {
  return hash(pepper, `address:${foldAddress(address)}`).toString('base64url');
}

/** Stands for a mailbox or a network in the log and in Redis: the same each time, but of no use without the secret. */
export function shortHash(kind: 'mailbox' | 'network', value: string, pepper: Secret): string {
  return hash(pepper, `log:${kind}:${value}`).toString('hex').slice(0, 16);
}

const hash = (pepper: Secret, text: string): Buffer =>
  createHmac('sha256', peppersOf(pepper)[0].reveal()).update(text).digest();

/** Shorter values are part of one: a pepper may be any text, also one with a comma. */
const PEPPER_CHARS_MIN = 32;

/** The current pepper, and the one that it replaces, if the setting has both. */
export function peppersOf(pepper: Secret): readonly [Secret, ...Secret[]] {
  const [first, second, ...more] = pepper.reveal().split(',');
  const areTwo = [first, second].every((one = '') => one.length >= PEPPER_CHARS_MIN) && more.length === 0;
  return areTwo ? [new Secret(first ?? ''), new Secret(second ?? '')] : [pepper];
}
