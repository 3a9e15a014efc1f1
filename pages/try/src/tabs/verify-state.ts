import { computed, signal } from '@preact/signals';
import type { VerifyReport } from '@scriptorium/client';
import { type Code, codeOf, quoted, shellWord } from '../code/code.ts';
import { download, extensionOf, fileOf, lastSigned } from '../documents.ts';
import { checkFile, Operation } from '../operation.ts';
import { limits } from '../service.ts';

export const file = signal<File | null>(null);
export const report = signal<VerifyReport | null>(null);
export const operation = new Operation();
/** The PDF of the report. */
export const saving = new Operation();
export const sources = computed(() => limits.value?.formats.verify.from ?? ['pdf', 'docx']);

let taken: unknown;

/** Verifies the document that was signed last, once. */
export function takeSigned(): void {
  const { value } = lastSigned;
  if (value === null || value === taken) return;
  taken = value;
  verifyFile(fileOf(value));
}

export function verifyFile(chosen: File): void {
  file.value = chosen;
  report.value = null;
  saving.stop();
  saving.problem.value = null;
  operation.problem.value = checkFile(chosen, sources.value);
  if (operation.problem.value !== null) {
    operation.stop();
    return;
  }
  verify();
}

export function verify(): void {
  const { value } = file;
  if (value === null) return;
  const isPdf = extensionOf(value.name) === 'pdf';
  void operation.run(async (client, signal) => {
    report.value = await client.verify(value, { ...(isPdf && { pictures: true }), signal });
  });
}

/** Asks for the report that shows the same on paper. */
export function savePdfReport(): void {
  const { value } = file;
  if (value === null) return;
  const pictures = extensionOf(value.name) === 'pdf';
  void saving.run(async (client, signal) => {
    const { bytes } = await client.verificationReport(value, { to: 'pdf', pictures, signal });
    download(`${value.name.replace(/\.\w+$/, '')}-report.pdf`, bytes);
  });
}

/** Changes one byte that a reader would not notice, as an attacker might. */
export async function changeOneByte(): Promise<void> {
  const { value } = file;
  if (value === null) return;
  const bytes = new Uint8Array(await value.arrayBuffer());
  const text = new TextDecoder('latin1').decode(bytes);
  const date = text.indexOf('(D:');
  const stream = text.indexOf('stream');
  const at = date >= 0 ? date + 6 : stream >= 0 ? stream + 40 : Math.floor(bytes.length / 3);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  verifyFile(new File([bytes], value.name.replace(/(\.\w+)?$/, '-changed.pdf'), { type: value.type }));
}

export const code = computed((): Code => {
  const fileName = file.value?.name ?? 'signed.pdf';
  const isPdf = extensionOf(fileName) === 'pdf';
  return codeOf({
    path: '/v1/verify',
    fileName,
    ...(isPdf && { request: { pictures: true } }),
    typescript: [
      `const report = await client.verify({ path: ${quoted(fileName)} }${isPdf ? ', { pictures: true }' : ''});`,
      'console.log(report.verdict, report.reason);',
    ].join('\n'),
    cli: `scriptorium verify ${shellWord(fileName)}`,
  });
});
