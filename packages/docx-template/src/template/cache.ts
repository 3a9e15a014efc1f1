import { createHash } from 'node:crypto';
import { openTemplate, type Template } from './template.ts';

const IDLE_MS_MAX = 600_000;

const keyOf = (owner: string, hash: string): string => `${hash} ${owner}`;

interface Kept {
  template: Template;
  usedAt: number;
}

/** The cached templates of one owner. */
export interface OwnTemplates {
  /** Rejects with the errors of `openTemplate`. */
  open(source: Buffer): Promise<Template>;
  /** The cached template with this SHA-256 in base64url. */
  known(hash: string): Template | undefined;
}

/**
 * In-memory cache of parsed templates by their owner and the SHA-256 of their bytes. The time of an answer must not show whether
 * another owner has sent a template. Evicts the least recently used first, and what was not used for a time.
 */
export class TemplateCache {
  readonly #bytesMax: number;
  readonly #idleMsMax: number;
  /** The least recently used first. */
  readonly #templates = new Map<string, Kept>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bytesMax` 0 disables the cache. A template is kept for `idleMsMax` after its last use. */
  constructor(bytesMax: number, idleMsMax = IDLE_MS_MAX) {
    this.#bytesMax = bytesMax;
    this.#idleMsMax = idleMsMax;
  }

  /** The cached templates of an owner. Callers without an owner share theirs. */
  of(owner = ''): OwnTemplates {
    return {
      open: async (source) => {
        const key = keyOf(owner, createHash('sha256').update(source).digest('base64url'));
        const known = this.#known(key);
        if (known !== undefined) return known;
        const template = await openTemplate(source);
        this.#keep(key, template);
        return template;
      },
      known: (hash) => this.#known(keyOf(owner, hash)),
    };
  }

  #known(key: string): Template | undefined {
    const kept = this.#templates.get(key);
    if (kept === undefined) return undefined;
    this.#templates.delete(key);
    this.#templates.set(key, { ...kept, usedAt: performance.now() });
    return kept.template;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #keep(key: string, template: Template): void {
    if (template.memoryBytes > this.#bytesMax || this.#templates.has(key)) return;
    this.#templates.set(key, { template, usedAt: performance.now() });
    this.#bytes += template.memoryBytes;
    for (const oldest of this.#templates.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    this.#timer ??= this.#later(this.#idleMsMax);
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#dropIdle(), ms).unref();
  }

  /** Drops what is too old, and waits for the next one. */
  #dropIdle(): void {
    const now = performance.now();
    this.#timer = undefined;
    for (const [key, { usedAt }] of this.#templates) {
      const left = usedAt + this.#idleMsMax - now;
      if (left > 0) {
        this.#timer = this.#later(left);
        return;
      }
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#templates.get(key)?.template.memoryBytes ?? 0;
    this.#templates.delete(key);
  }
}
