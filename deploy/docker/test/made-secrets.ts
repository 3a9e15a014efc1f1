import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';

const checkout = join(import.meta.dirname, '..', '..', '..');

/** The settings in a file, as Node reads them with --env-file. */
export function fileSettings(path: string): Record<string, string> {
  const code = `process.loadEnvFile(${JSON.stringify(path)}); console.log(JSON.stringify(process.env))`;
  return JSON.parse(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', env: {} }));
}

/** Runs the script that generates the trial's secrets; resolves with its folder. */
export function makeSecrets(folder: string, name: string): string {
  const secrets = join(folder, name);
  for (const part of [...SERVICE_NAMES, 'redis', 'database', 'key'])
    mkdirSync(join(secrets, part), { recursive: true });
  execFileSync(join(checkout, 'deploy/docker/make-secrets.sh'), [secrets, join(secrets, 'key')]);
  return secrets;
}

export function secretsOf(secrets: string, service: ServiceName): Record<string, string> {
  return readdirSync(join(secrets, service)).includes('scriptorium.env')
    ? fileSettings(join(secrets, service, 'scriptorium.env'))
    : {};
}
