import { readdir, readFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);

/** Where a test sends the commands of a document. */
export interface Target {
  url: string;
  key: string;
  /** The collector of document opens. */
  telemetryUrl?: string;
}

/** A code block in a document: its language, and its heading. */
export interface Block {
  language: string;
  section: string;
  text: string;
}

/** The documents with code to copy: the README, those of clients, the guides and a route, by their paths from the root. */
export async function documentsToCopyFrom(): Promise<string[]> {
  const guides = await readdir(new URL('docs/guides/', root));
  const clients = ['sdk', 'cli'].map((name) => `clients/${name}/README.md`);
  const listed = guides.sort().map((name) => `docs/guides/${name}`);
  return ['README.md', ...clients, ...listed, 'docs/reference/gotenberg.md'];
}

export async function blocksOf(document: string): Promise<Block[]> {
  const text = await readFile(new URL(document, root), 'utf8');
  const parts = text.matchAll(/^#+ (?<heading>[^\n]+)$|^```(?<language>\w*)\n(?<code>.*?)^```$/gms);
  let section = '';
  const blocks: Block[] = [];
  for (const { groups } of parts)
    if (groups?.heading !== undefined) section = groups.heading;
    else blocks.push({ language: groups?.language ?? '', section, text: groups?.code ?? '' });
  return blocks;
}

/** The same commands, for the service at `url` and with a key. */
export function aimed(commands: string, { url, key, telemetryUrl }: Target): string {
  return commands
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('http://127.0.0.1:8081', telemetryUrl ?? 'http://127.0.0.1:8081')
    .replaceAll('$KEY', key);
}

/** The command blocks in a section of a document. Throws if there are none. */
export async function commandsOf(document: string, section: string, target: Target): Promise<string[]> {
  const blocks = (await blocksOf(document)).filter(
    (block) => block.section === section && block.language === 'sh',
  );
  if (blocks.length === 0) throw new Error(`${document} has no commands in ${section}`);
  return blocks.map(({ text }) => aimed(text, target));
}
