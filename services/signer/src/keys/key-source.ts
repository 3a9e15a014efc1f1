import type { RawSigner } from '@scriptorium/pki/keys';
import type { z } from 'zod';

/** Sends bytes and gives the body of an answer of status 200; rejects for all else. */
export type Post = (
  url: string,
  request: { body: Buffer; contentType: string; headers: Record<string, string> },
) => Promise<Buffer>;

/** What a source may use beside its settings. */
export interface SourceContext {
  /** Reads a file that the settings name. */
  readFile(path: string): Promise<Buffer>;
  post: Post;
  now: Date;
}

/** A kind of place that keeps private keys. */
export interface KeySource {
  /** The property by which a profile says that its key is there. */
  readonly name: string;
  /** Throws ZodError for settings that are not those of the source, SIGNING_KEY_INVALID and REMOTE_SIGNER_FAILED. */
  open(profile: unknown, context: SourceContext): Promise<RawSigner>;
}

/** A source that `open` opens by settings which `schema` has read from a whole profile. */
export function keySource<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  open: (settings: z.output<Schema>, context: SourceContext) => Promise<RawSigner>,
): KeySource {
  return { name, open: async (profile, context) => open(schema.parse(profile), context) };
}
