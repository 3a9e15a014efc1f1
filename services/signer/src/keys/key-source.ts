import type { RawSigner } from '@scriptorium/pki/keys';
import type { z } from 'zod';

/** Sends bytes and returns the body of a response with status 200; rejects for any other response. */
export type Post = (
  url: string,
  request: { body: Buffer; contentType: string; headers: Record<string, string> },
) => Promise<Buffer>;

/** What a source may use in addition to its settings. */
export interface SourceContext {
  /** Reads a file that the settings name. */
  readFile(path: string): Promise<Buffer>;
  post: Post;
  now: Date;
}

/** A kind of storage for private keys. */
export interface KeySource {
  /** The property by which a profile selects this source. */
  readonly name: string;
  /** Throws ZodError for invalid settings, SIGNING_KEY_INVALID and REMOTE_SIGNER_FAILED. */
  open(profile: unknown, context: SourceContext): Promise<RawSigner>;
}

/** Makes a source from the schema of a whole profile and a function that opens the parsed settings. */
export function keySource<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  open: (settings: z.output<Schema>, context: SourceContext) => Promise<RawSigner>,
): KeySource {
  return { name, open: async (profile, context) => open(schema.parse(profile), context) };
}
