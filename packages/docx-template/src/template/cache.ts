import { createHash } from 'node:crypto';
import { openTemplate, type Template } from './template.ts';

/** In-memory cache of parsed templates by the SHA-256 of their bytes. Evicts the least recently used first. */
export class TemplateCache {
  readonly #bytesMax: number;
  readonly #templates = new Map<string, Template>();
  #bytes = 0;

  /** `bytesMax` 0 disables the cache. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Rejects with the errors of `openTemplate`. */
  async open(source: Buffer): Promise<Template> {
    const key = createHash('sha256').update(source).digest('base64url');
    const known = this.known(key);
    if (known !== undefined) return known;
    const template = await openTemplate(source);
    this.#keep(key, template);
    return template;
  }

  /** The cached template with this SHA-256 in base64url. */
  known(hash: string): Template | undefined {
    const template = this.#templates.get(hash);
    if (template === undefined) return undefined;
    this.#templates.delete(hash);
    this.#templates.set(hash, template);
    return template;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #keep(key: string, template: Template): void {
    if (template.memoryBytes > this.#bytesMax || this.#templates.has(key)) return;
    this.#templates.set(key, template);
    this.#bytes += template.memoryBytes;
    for (const [oldest, { memoryBytes }] of this.#templates) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#templates.delete(oldest);
      this.#bytes -= memoryBytes;
    }
  }
}
