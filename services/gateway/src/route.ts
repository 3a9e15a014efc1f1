import type { ErrorCode } from '@scriptorium/shared/errors';
import type { Operation } from '@scriptorium/usage/inbox';
import type { z } from 'zod';
import type { Handler, Middleware } from './context.ts';

/** The content of an answer with status 200. */
export interface Success {
  description: string;
  contentType: string;
  schema?: z.ZodType;
  headers?: Record<string, string>;
}

interface JsonBody {
  json: z.ZodObject;
  /** Another media type with the same content, in the form that the description of the route explains. */
  alsoAs?: string;
}

export interface FileBody {
  /** Name of the part. */
  file: string;
  description: string;
  /** The form may have several parts of this name, up to this number. */
  filesMax?: number;
  /** Other parts, with JSON. */
  texts?: Record<string, z.ZodType>;
}

/** One operation. Its handler validates with the same schemas that the reference shows. */
export interface Route {
  method: 'get' | 'post' | 'delete';
  path: string;
  access: 'public' | 'key';
  summary: string;
  description?: string;
  tag: 'Documents' | 'Usage' | 'Authentication' | 'System';
  query?: z.ZodObject;
  parameters?: z.ZodObject;
  /** JSON body, or the named file part of a multipart form; both if the route accepts either. */
  body?: JsonBody | FileBody | (JsonBody & FileBody);
  success: Success[];
  errors: ErrorCode[];
  /** The queues that must have room before the body is read. Only with `access: 'key'`. */
  queues?: string[];
  /** The operation that an answer counts as in the usage of the key owner. Only with `access: 'key'`. */
  operation?: Operation;
  /** Marks a GET that changes state: HEAD, prefetches and subresource loads are rejected. */
  hasSideEffects?: boolean;
  /** Marks routes for probes and browsers, which are not traced. */
  isUntraced?: boolean;
  middleware?: Middleware[];
  handle: Handler;
}
