import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** Builds the package like `npm run build` into a separate folder and returns the path of its modules. */
export function buildPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-client-'));
  execFileSync(
    join(packageFolder, '../../node_modules/.bin/tsc'),
    ['-p', packageFolder, '--outDir', folder],
    { stdio: 'pipe' },
  );
  return folder;
}
