import CFB from 'cfb';

/**
 * A compound file (MS-CFB) whose root contains these streams. The library adds one of four bytes, which programs of Office
 * ignore.
 */
export function writeCompoundFile(streams: ReadonlyMap<string, Buffer>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [name, data] of streams) CFB.utils.cfb_add(file, `/${name}`, data);
  return CFB.write(file, { type: 'buffer' }) as Buffer;
}
