import type { ErrorCode } from '@scriptorium/contracts/errors';
import type { Operation } from '@scriptorium/usage/inbox';
import type { z } from 'zod';
import type { Scope } from '../auth/key-rights.ts';
import type { Deferral } from '../deferred/fields.ts';
import type { Handler, Middleware } from './context.ts';

/** The content of an answer with status 200. */
export interface Success {
  description: string;
  contentType: string;
  schema?: z.ZodType;
  headers?: Record<string, string>;
}

/** A form instead of a JSON body. */
export interface FormBody {
  /** Describes the parts `file`. */
  description: string;
  /** The form may have several of them, up to this number. By default it has one, which is the `document` of the JSON body. */
  filesMax?: number;
  /** Other parts, with JSON. */
  texts?: Record<string, z.ZodType>;
}

export interface Body {
  json: z.ZodObject;
  /** The body may also come as lines: a first one, and the others. */
  lines?: { contentType: string; first: z.ZodType; other: z.ZodType };
  form?: FormBody;
}

/** Documents for examples, in base64. */
export type Samples = Record<'document' | 'template' | 'signed', string>;

/** A request that succeeds as it is, but for codes and ids that a caller gets. */
export interface Example {
  summary: string;
  query?: Record<string, string>;
  parameters?: Record<string, string>;
  body?(samples: Samples): unknown;
}

/** One operation. Its handler validates with the same schemas that the reference shows. */
export interface Route {
  /** Name of the operation in the reference. Routes without one are not in it: pages and probes. */
  operationId?: string;
  method: 'get' | 'post' | 'delete';
  path: string;
  access: 'public' | 'key';
  summary: string;
  description?: string;
  tag: 'Documents' | 'Jobs' | 'Usage' | 'Authentication' | 'System';
  query?: z.ZodObject;
  parameters?: z.ZodObject;
  body?: Body;
  /** Required with a body, or if the route has required parameters. */
  example?: Example;
  success: Success[];
  errors: ErrorCode[];
  /** What a key may be limited to. By default the `operationId`. */
  scope?: Scope;
  /** Runs before the key is checked. */
  before?: Middleware;
  /** It sends requests of its own with the key of the caller: limits, scopes and usage are theirs. Only with `access: 'key'`. */
  hasOwnCalls?: boolean;
  /** The queues that must have room before the body is read. Only with `access: 'key'`. */
  queues?: string[];
  /** The operation that an answer counts as in the usage of the key owner. Only with `access: 'key'`. */
  operation?: Operation;
  /** The answer may come later, with `Prefer: respond-async`. Only with a JSON body. */
  deferral?: Deferral;
  /** Its form may name a webhook, as those of Gotenberg. */
  takesWebhook?: boolean;
  /** Marks a request without a key that changes state: HEAD, prefetches, subresource loads and other sites are rejected. */
  hasSideEffects?: boolean;
  /** Marks routes for probes and browsers, which are not traced. */
  isUntraced?: boolean;
  middleware?: Middleware[];
  handle: Handler;
}

/** Operations that callers may repeat with an `Idempotency-Key`. */
export const isRepeatable = ({ access, method, tag }: Route): boolean =>
  access === 'key' && method === 'post' && tag === 'Documents';
