import type { Limits, Scriptorium } from '@scriptorium/client';
import type { z } from 'zod';

/** The documents that tools read and write, by their names. */
export interface Documents {
  /** Throws if there is none, or if it has more than `bytesMax` bytes. */
  read(name: string, bytesMax: number): Promise<File>;
  /** Throws unless the name is free for a new document. */
  checkNew(name: string): Promise<void>;
  /** Writes a new document, and never over one that is there. */
  create(name: string, bytes: Uint8Array): Promise<void>;
  /** The first ones, by name. */
  list(): Promise<readonly { name: string; bytes: number }[]>;
}

export interface Context {
  client: Scriptorium;
  limits(): Promise<Limits>;
  documents: Documents;
  signal: AbortSignal;
  /** Reports how many parts are done to a client that asked for it. */
  report(done: number, total?: number): void;
}

/** What a tool answers: facts, and perhaps pictures of pages (PNG). */
export interface ToolAnswer {
  facts: Record<string, unknown>;
  pictures?: readonly Uint8Array[];
}

/** A tool for models. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  /** Whether it writes a document. */
  writes: boolean;
  run(args: Record<string, unknown>, context: Context): Promise<ToolAnswer>;
}
