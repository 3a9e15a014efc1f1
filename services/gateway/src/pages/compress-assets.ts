import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { absolutePath } from 'swagger-ui-dist';

/** The files of Swagger UI that the page `/docs` loads. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

// The last step of the build: writes them beside the compiled code, also in compressed form.
const folder = fileURLToPath(new URL('../../dist/swagger-ui', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of FILES) {
  const bytes = readFileSync(join(absolutePath(), name));
  writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
}
