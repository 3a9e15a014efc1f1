import { readFile } from 'node:fs/promises';

/** The blocks of commands in a section of the README, for the service at `url` and with a key. Throws where there is none. */
export async function commandsOf(
  section: string,
  { url, key }: { url: string; key: string },
): Promise<string[]> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const begin = `\n## ${section}\n`;
  const text = readme.split(begin)[1]?.split('\n## ')[0] ?? '';
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands);
  if (blocks.length === 0) throw new Error(`the README has no commands in ${section}`);
  return blocks.map((commands) =>
    commands.replaceAll('http://127.0.0.1:8080', url).replaceAll('<API_KEY>', key),
  );
}
