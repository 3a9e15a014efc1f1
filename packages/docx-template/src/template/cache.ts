import { createHash } from 'node:crypto';
import { openTemplate, type Template } from './template.ts';

/** Templates that were read, by the SHA-256 of their bytes, in memory alone; the least recently used go first. */
export class TemplateCache {
  readonly #bytesMax: number;
  readonly #templates = new Map<string, Template>();
  #bytes = 0;

  /** 0 keeps none. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Rejects as `openTemplate` does. */
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
