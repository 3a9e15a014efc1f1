import type { ErrorCode } from '@scriptorium/shared/errors';
import type { Operation } from '@scriptorium/usage/inbox';
import type { z } from 'zod';
import type { Handler, Middleware } from './context.ts';

/** What an answer of status 200 holds. */
export interface Success {
  description: string;
  contentType: string;
  schema?: z.ZodType;
  headers?: Record<string, string>;
}

interface JsonBody {
  json: z.ZodObject;
}

interface FileBody {
  /** Name of the part. */
  file: string;
  description: string;
}

/** One operation: what the documentation says of it is what its handler validates with. */
export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  access: 'public' | 'key';
  summary: string;
  description?: string;
  tag: 'Documents' | 'Usage' | 'Authentication' | 'System';
  query?: z.ZodObject;
  parameters?: z.ZodObject;
  /** JSON body, or the named file part of a multipart form; both, where either is taken. */
  body?: JsonBody | FileBody | (JsonBody & FileBody);
  success: Success[];
  errors: ErrorCode[];
  /** What an answer of it counts as in the usage of the key's owner; only with `access: 'key'`. */
  operation?: Operation;
  /** A GET that changes something: HEAD, prefetches and subresource loads are refused. */
  hasSideEffects?: boolean;
  /** Asked by probes and browsers: no trace is made of it. */
  isUntraced?: boolean;
  middleware?: Middleware[];
  handle: Handler;
}
