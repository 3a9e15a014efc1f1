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
    const key = createHash('sha256').update(source).digest('base64');
    const known = this.#templates.get(key);
    if (known !== undefined) {
      this.#templates.delete(key);
      this.#templates.set(key, known);
      return known;
    }
    const template = await openTemplate(source);
    this.#keep(key, template);
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
