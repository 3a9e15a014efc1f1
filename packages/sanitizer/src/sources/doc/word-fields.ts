/** FIB offsets of the field tables of text, headers, notes, comments and text boxes (MS-DOC §2.5.6). */
const FIELD_TABLES = [0x11a, 0x122, 0x12a, 0x132, 0x21a, 0x262, 0x272];
const FIELD_BEGIN = 0x13;
/** "Not named": a field that shows its last result and is not evaluated (MS-DOC §2.9.90). */
const UNNAMED = 0x02;

/** Fields that read other files, start other programs or query databases, by their type (MS-DOC §2.9.90). */
const ACTIVE_TYPES = new Map([
  [0x24, 'INCLUDE'],
  [0x2d, 'DDE'],
  [0x2e, 'DDEAUTO'],
  [0x32, 'GOTOBUTTON'],
  [0x33, 'MACROBUTTON'],
  [0x37, 'IMPORT'],
  [0x38, 'LINK'],
  [0x43, 'INCLUDEPICTURE'],
  [0x44, 'INCLUDETEXT'],
  [0x4e, 'DATABASE'],
]);

/**
 * Removes the type of each active field of a Word document, in place. Returns the names of those fields. Importers use
 * the type. The instruction stays in the text, where readers ignore it.
 */
export function disarmFields(wordDocument: Buffer, tableStream: Buffer): string[] {
  const found: string[] = [];
  for (const at of FIELD_TABLES) {
    if (at + 8 > wordDocument.length) continue;
    const start = wordDocument.readUInt32LE(at);
    const bytes = wordDocument.readUInt32LE(at + 4);
    if (bytes < 10 || start + bytes > tableStream.length) continue;
    // n + 1 positions of four bytes, then n fields of two.
    const count = Math.floor((bytes - 4) / 6);
    const fields = tableStream.subarray(start + 4 * (count + 1), start + bytes);
    for (let i = 0; i < count; i++) {
      const name = ACTIVE_TYPES.get(fields.readUInt8(2 * i + 1));
      if ((fields.readUInt8(2 * i) & 0x1f) !== FIELD_BEGIN || name === undefined) continue;
      fields.writeUInt8(UNNAMED, 2 * i + 1);
      found.push(name);
    }
  }
  return found;
}
