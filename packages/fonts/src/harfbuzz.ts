import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The parts of the WebAssembly interface that Node's types lack. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Record<string, unknown>>) => { exports: unknown };
};

/** What both modules export. Pointers and lengths are numbers; `memory` is replaced when it grows. */
interface CommonExports {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  malloc(length: number): number;
  free(pointer: number): void;
  hb_blob_create(data: number, length: number, mode: number, user: number, destroy: number): number;
  hb_blob_destroy(blob: number): void;
  hb_blob_get_data(blob: number, length: number): number;
  hb_blob_get_length(blob: number): number;
  hb_face_create(blob: number, index: number): number;
  hb_face_destroy(face: number): void;
}

export interface ShapeExports extends CommonExports {
  __wasm_call_ctors(): void;
  hb_font_create(face: number): number;
  hb_buffer_create(): number;
  hb_buffer_clear_contents(buffer: number): void;
  hb_buffer_set_direction(buffer: number, direction: number): void;
  hb_buffer_set_flags(buffer: number, flags: number): void;
  hb_buffer_add_utf16(buffer: number, text: number, length: number, start: number, count: number): void;
  hb_buffer_guess_segment_properties(buffer: number): void;
  hb_shape(font: number, buffer: number, features: number, count: number): void;
  hb_buffer_get_length(buffer: number): number;
  hb_buffer_get_glyph_infos(buffer: number, length: number): number;
  hb_buffer_get_glyph_positions(buffer: number, length: number): number;
}

export interface SubsetExports extends CommonExports {
  _initialize(): void;
  hb_set_add(set: number, value: number): void;
  hb_set_invert(set: number): void;
  hb_subset_input_create_or_fail(): number;
  hb_subset_input_keep_everything(input: number): void;
  hb_subset_input_set(input: number, which: number): number;
  hb_subset_input_destroy(input: number): void;
  hb_subset_input_glyph_set(input: number): number;
  hb_subset_input_set_flags(input: number, flags: number): void;
  hb_subset_or_fail(face: number, input: number): number;
  hb_face_reference_blob(face: number): number;
}

const PAGE_BYTES = 65_536;
/** HB_MEMORY_MODE_WRITABLE: the blob is HarfBuzz's, without a copy. */
const WRITABLE = 2;

const require = createRequire(import.meta.url);
const compiled = new Map<string, object>();

function moduleAt(path: string): object {
  const module = compiled.get(path) ?? new WebAssembly.Module(readFileSync(path));
  compiled.set(path, module);
  return module;
}

/**
 * A new instance of HarfBuzz for shaping. The module is read and compiled once a thread. The JavaScript of `harfbuzzjs`
 * is not used: it frees memory only when the garbage collector runs, and can be loaded only asynchronously.
 */
export function newShapeInstance(): ShapeExports {
  const fail = (): never => {
    throw new Error('HarfBuzz stopped.');
  };
  const resize = (bytes: number): number => {
    const { memory } = exports;
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES);
    try {
      if (missing > 0) memory.grow(missing);
      return 1;
    } catch {
      return 0;
    }
  };
  const imports = {
    wasi_snapshot_preview1: { proc_exit: fail },
    env: {
      _emscripten_runtime_keepalive_clear: () => undefined,
      _abort_js: fail,
      _setitimer_js: () => 0,
      emscripten_resize_heap: resize,
    },
  };
  const exports = new WebAssembly.Instance(
    moduleAt(require.resolve('harfbuzzjs/dist/harfbuzz.wasm')),
    imports,
  ).exports as ShapeExports;
  exports.__wasm_call_ctors();
  return exports;
}

/** A new instance of HarfBuzz's subsetter. */
export function newSubsetInstance(): SubsetExports {
  const module = moduleAt(require.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
  const { exports } = new WebAssembly.Instance(module, {});
  const subset = exports as SubsetExports;
  subset._initialize();
  return subset;
}

/** Copies a font file into the memory of an instance, and returns its address there. */
export function copyIn(hb: CommonExports, file: Buffer): number {
  const data = hb.malloc(file.length);
  if (data === 0) throw new Error('HarfBuzz has no memory for a font.');
  new Uint8Array(hb.memory.buffer, data, file.length).set(file);
  return data;
}

/** The first face of a font file in the memory of an instance. */
export function faceAt(hb: CommonExports, data: number, length: number): number {
  const blob = hb.hb_blob_create(data, length, WRITABLE, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  hb.hb_blob_destroy(blob);
  return face;
}

/** Copies a font file into the memory of an instance, where it stays, and returns its first face. */
export function addFace(hb: CommonExports, file: Buffer): number {
  return faceAt(hb, copyIn(hb, file), file.length);
}

/** The file that the subsetter makes of a face as `input` says, which it frees. Undefined if it makes none. */
export function fileOf(hb: SubsetExports, face: number, input: number): Buffer | undefined {
  const made = hb.hb_subset_or_fail(face, input);
  hb.hb_subset_input_destroy(input);
  if (made === 0) return undefined;
  const blob = hb.hb_face_reference_blob(made);
  const start = hb.hb_blob_get_data(blob, 0);
  const file = Buffer.from(new Uint8Array(hb.memory.buffer, start, hb.hb_blob_get_length(blob)));
  hb.hb_blob_destroy(blob);
  hb.hb_face_destroy(made);
  return file;
}
