import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Outcome, outcomeOf } from './programs.ts';

/** PDFBox and Bouncy Castle, from Debian's packages. */
const JARS = [
  'pdfbox2',
  'preflight',
  'xmpbox',
  'fontbox2',
  'bcprov',
  'bcpkix',
  'bcutil',
  'commons-logging',
  'javax.activation',
  'jaxb-api',
].map((name) => `/usr/share/java/${name}.jar`);

const compiled = new Map<string, Promise<string>>();

/** Compiles a source once per user of the machine: the folder has its digest in its name, and appears when it is complete. */
async function compile(source: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(source))
    .digest('hex');
  const folder = join(tmpdir(), `judge-classes-${process.getuid?.() ?? 0}-${digest.slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(join(tmpdir(), 'judge-draft-'));
  const { status, text } = await outcomeOf('javac', ['-cp', JARS.join(':'), '-d', draft, source]);
  if (status !== 0) throw new Error(`${basename(source)} cannot be compiled: ${text}`);
  // Another process may have been first; a folder with content is not replaced.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return folder;
}

/** Runs a Java program of one source file, named like its class, with PDFBox and Bouncy Castle on its class path. */
export async function outcomeOfJava(source: string, args: readonly string[]): Promise<Outcome> {
  const classes = compiled.get(source) ?? compile(source);
  compiled.set(source, classes);
  const path = [await classes, ...JARS].join(':');
  return outcomeOf('java', ['-Xshare:auto', '-cp', path, basename(source, '.java'), ...args]);
}
