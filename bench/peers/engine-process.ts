/**
 * engine-process.ts SANDBOX
 *
 * The engine in its own process, driven by messages: a document in, a PDF out. Run on a simulated kernel without
 * Landlock and seccomp, it is the engine without its walls.
 */
import { LibreOfficeKitEngine } from '@scriptorium/converter/engines/kit/libreofficekit';
import type { SandboxDemand } from '@scriptorium/converter/engines/sandbox';

const TIMEOUT_MS = 60_000;
const engine = new LibreOfficeKitEngine({ zygotes: 1, sandbox: process.argv[2] as SandboxDemand });

process.on('message', async (docx: Uint8Array) => {
  const run = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
  const { bytes } = await engine.convert(docx, { from: 'docx', to: 'pdf' }, run);
  process.send?.(bytes);
});
process.once('disconnect', () => void engine.close());

await engine.start();
process.send?.(engine.health().sandbox?.state ?? 'unknown');
