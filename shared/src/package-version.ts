import { readFile } from 'node:fs/promises';

/** The version of the package whose `src` or `dist` a module lies in; `import.meta.url` of a file there is asked for. */
export async function packageVersion(moduleUrl: string): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../package.json', moduleUrl), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
