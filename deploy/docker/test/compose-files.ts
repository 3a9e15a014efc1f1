import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A service in the project's compose files. */
export interface ComposeService {
  image?: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  volumes?: string[];
  ports?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  profiles?: string[];
  secrets?: { source: string; target: string }[];
  shm_size?: string;
  mem_limit?: string;
  pids_limit?: number;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  healthcheck?: { test: string[] };
}

export interface Compose {
  services: Record<string, ComposeService>;
  networks?: Record<string, { internal?: boolean }>;
}

/** The compose files of this project, from the root of the checkout. */
export const TRIAL = 'docker-compose.yml';
export const PRODUCTION = 'deploy/docker/compose.production.yml';
export const REDIS_TLS = 'deploy/docker/compose.redis-tls.yml';

/** One compose file as written, except for its variables: those without a default take the value given here. */
export function readCompose(checkout: string, path: string, variables: Record<string, string> = {}): Compose {
  const text = readFileSync(join(checkout, path), 'utf8').replaceAll(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_, name: string, fallback = '') => variables[name] ?? fallback,
  );
  // Its own tags, !override and !reset, define how it overrides another file; their values are plain.
  return parse(text, { merge: true, logLevel: 'error' }) as Compose;
}

/** `1g` and `64m` as bytes. */
export function bytesOf(size = ''): number {
  const [, digits = '', unit = ''] = /^(\d+)([mg]?)b?$/.exec(size) ?? [];
  return Number(digits) * { '': 1, m: 2 ** 20, g: 2 ** 30 }[unit as '' | 'm' | 'g'];
}
