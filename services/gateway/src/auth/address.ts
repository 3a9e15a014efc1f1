import { createHmac } from 'node:crypto';
import type { Secret } from '@scriptorium/shared/config';
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

/** Identifies an address without storing it. */
export function hashAddress(address: string, pepper: Secret): Buffer {
  return createHmac('sha256', pepper.reveal()).update(`address:${address}`).digest();
}

/** Removes letter case and `+tag` from an address: limits count what one mailbox receives. */
export function foldAddress(address: string): string {
  const [local = '', domain = ''] = address.toLowerCase().split('@');
  return `${local.split('+')[0]}@${domain}`;
}
