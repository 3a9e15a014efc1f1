const LENGTH_BYTES = 4;

/**
 * Joins parts of any sizes into one blob, so that several small documents take one trip. The blob has the number of parts, the
 * size of each (32 bits, big-endian), then their bytes.
 */
export function packParts(parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES * (parts.length + 1));
  head.writeUInt32BE(parts.length);
  for (const [at, { length }] of parts.entries()) head.writeUInt32BE(length, LENGTH_BYTES * (at + 1));
  return Buffer.concat([head, ...parts]);
}

/** Returns the parts as views of the blob. Throws if it is not such a blob. */
export function unpackParts(bytes: Buffer): Buffer[] {
  if (bytes.length < LENGTH_BYTES) throw new Error('a pack has no head');
  const count = bytes.readUInt32BE(0);
  let start = LENGTH_BYTES * (count + 1);
  if (start > bytes.length) throw new Error('a pack has no whole head');
  const parts = Array.from({ length: count }, (_, at) => {
    const length = bytes.readUInt32BE(LENGTH_BYTES * (at + 1));
    const part = bytes.subarray(start, start + length);
    start += length;
    return part;
  });
  if (start !== bytes.length) throw new Error(`a pack has ${bytes.length} bytes instead of ${start}`);
  return parts;
}
