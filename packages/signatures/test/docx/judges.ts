import { execFile, spawn } from 'node:child_process';
import type { KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { judgeFile } from '@scriptorium/testing/judges/programs';

const run = promisify(execFile);

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the files of an archive by their names as written. */
export async function filesOf(archive: Buffer): Promise<Map<string, Buffer>> {
  const entries = [...(await readArchive(archive, new Budget())).values()];
  return new Map(entries.map((entry) => [entry.name, unpackEntry(entry, new Budget())]));
}

/**
 * Returns what xmlsec1 reports on a signature: its value, its objects, and each part and relationship in its Manifest, with
 * its own relationships transform. Rejects with its output if it reports the signature as invalid.
 */
export function judgeByXmlsec(docx: Buffer, partName: string, caPem: string): Promise<string> {
  return inFolder(async (folder) => {
    const files = await filesOf(docx);
    const maps: string[] = [];
    const signature = files.get(partName)?.toString() ?? '';
    for (const [, uri = ''] of signature.matchAll(/<Reference URI="(\/[^"]*)"/g)) {
      const path = uri.slice(1).split('?')[0] ?? '';
      const name = path.replaceAll('&amp;', '&');
      const data = files.get(name) ?? files.get(decodeURIComponent(name));
      if (data === undefined) throw new Error(`the package has no ${name}`);
      const file = join(folder, String(maps.length));
      await writeFile(file, data);
      const url = uri.replaceAll('&amp;', '&');
      maps.push(`--url-map:${url}`, file, `--url-map:${decodeURIComponent(url)}`, file);
    }
    const file = join(folder, 'signature.xml');
    await writeFile(file, signature);
    const ids = ['--id-attr:Id', 'Object', '--id-attr:Id', 'SignedProperties'];
    const { stdout, stderr } = await run('xmlsec1', [
      '--verify',
      ...ids,
      '--trusted-pem',
      caPem,
      ...maps,
      file,
    ]);
    return stdout + stderr;
  });
}

/** What the JDK reports on one signature. */
export interface JdkOpinion {
  isValid: boolean;
  /** For each Reference in SignedInfo: whether it is valid, and the digested bytes. */
  references: { isValid: boolean; digested: string }[];
}

/** Returns what the JDK reports on the first signature in each XML document. Rejects if it cannot read one. */
export function judgeByJdk(documents: readonly (Buffer | string)[]): Promise<JdkOpinion[]> {
  return inFolder(async (folder) => {
    await run('javac', ['-d', folder, judgeFile('XmlSignatureJudge.java')]);
    const java = spawn('java', ['-cp', folder, 'XmlSignatureJudge'], { stdio: ['pipe', 'pipe', 'inherit'] });
    java.stdin.end(documents.map((xml) => `${Buffer.from(xml).toString('base64')}\n`).join(''));
    const chunks: Buffer[] = [];
    for await (const chunk of java.stdout) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    return lines.map((line, number) => {
      const [value, ...references] = line.split(' ');
      if (value === 'error') throw new Error(`${line} in ${documents[number]}`);
      return {
        isValid: value === 'valid',
        references: references.map((word) => {
          const [opinion, bytes = ''] = word.split(':');
          return { isValid: opinion === 'valid', digested: Buffer.from(bytes, 'base64').toString() };
        }),
      };
    });
  });
}

/** What LibreOffice reports on one signature. */
export interface OfficeOpinion {
  isValid: boolean;
  /** Whether LibreOffice considers the certificate as issued by the trusted authority. */
  isTrusted: boolean;
  signer: string | null;
}

/** Returns what LibreOffice reports on the signatures of each document, in order, with one trusted authority. */
export function judgeByOffice(documents: readonly Buffer[], caDer: string): Promise<OfficeOpinion[][]> {
  return inFolder(async (folder) => {
    const files = documents.map((_, number) => join(folder, 'documents', `${number}.docx`));
    await mkdir(dirname(files[0] ?? folder), { recursive: true });
    await Promise.all(files.map((file, number) => writeFile(file, documents[number] ?? '')));
    const script = judgeFile('libreoffice_signatures.py');
    // Debian's own Python, which has the bridge.
    const { stdout } = await run('/usr/bin/python3', ['-B', script, folder, caDer, ...files]);
    return JSON.parse(stdout);
  });
}

/** Signs these documents one after the other with LibreOffice and an RSA key. */
export function signByOffice(
  documents: readonly Buffer[],
  certificate: X509Certificate,
  key: KeyObject,
): Promise<Buffer[]> {
  return inFolder(async (folder) => {
    const write = async (name: string, data: Uint8Array) => {
      const file = join(folder, name);
      await writeFile(file, data);
      return file;
    };
    const modulus = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url');
    const files = await Promise.all([
      write('certificate.der', certificate.raw),
      write('key.p8', key.export({ type: 'pkcs8', format: 'der' })),
      write('modulus', modulus),
      ...documents.map((document, number) => write(`${number}.docx`, document)),
    ]);
    await run('/usr/bin/python3', ['-B', judgeFile('libreoffice_sign.py'), folder, ...files]);
    return Promise.all(files.slice(3).map((file) => readFile(file)));
  });
}
