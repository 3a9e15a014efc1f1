import { z } from 'zod';

const DOMAIN = /^(\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** A setting with a list of domains, separated by commas. */
export const domains = () =>
  z
    .string()
    .transform((text) => text.split(',').map((domain) => domain.trim().toLowerCase()))
    .pipe(z.array(z.string().regex(DOMAIN, 'must be domains such as example.com or *.example.com')).min(1));

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

/** A list of origins as browsers send them (RFC 6454 §7): no path, no wildcard. */
export const origins = () =>
  z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .pipe(z.array(z.string().refine(isOrigin, 'must be origins such as https://app.example.com')).min(1));
