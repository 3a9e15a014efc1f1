import { readFile } from 'node:fs/promises';

/** Returns the version of the package of a module. `moduleUrl` is `import.meta.url` of a file in its `src` or `dist`. */
export async function packageVersion(moduleUrl: string): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../package.json', moduleUrl), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
