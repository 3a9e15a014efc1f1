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

/** Other fields that may have to keep their last result, by their type. */
const FREEZABLE_TYPES = new Map([
  [0x07, 'IF'],
  [0x0e, 'INFO'],
  [0x11, 'AUTHOR'],
  [0x14, 'LASTSAVEDBY'],
  [0x15, 'CREATEDATE'],
  [0x16, 'SAVEDATE'],
  [0x17, 'PRINTDATE'],
  [0x18, 'REVNUM'],
  [0x19, 'EDITTIME'],
  [0x1d, 'FILENAME'],
  [0x1e, 'TEMPLATE'],
  [0x1f, 'DATE'],
  [0x20, 'TIME'],
  [0x22, '='],
  [0x23, 'QUOTE'],
  [0x3c, 'USERNAME'],
  [0x3d, 'USERINITIALS'],
  [0x3e, 'USERADDRESS'],
  [0x40, 'DOCVARIABLE'],
  [0x41, 'SECTION'],
  [0x42, 'SECTIONPAGES'],
  [0x45, 'FILESIZE'],
  [0x48, 'NOTEREF'],
  [0x50, 'COMPARE'],
  [0x55, 'DOCPROPERTY'],
]);

/**
 * Removes the type of each active field of a Word document, in place, and of those that `freezes` selects by name.
 * Returns the names of the active ones. Importers use the type. The instruction stays in the text, where readers ignore
 * it.
 */
export function disarmFields(
  wordDocument: Buffer,
  tableStream: Buffer,
  freezes: (name: string) => boolean,
): string[] {
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
      if ((fields.readUInt8(2 * i) & 0x1f) !== FIELD_BEGIN) continue;
      const type = fields.readUInt8(2 * i + 1);
      const active = ACTIVE_TYPES.get(type);
      if (active !== undefined) found.push(active);
      else if (!freezes(FREEZABLE_TYPES.get(type) ?? '')) continue;
      fields.writeUInt8(UNNAMED, 2 * i + 1);
    }
  }
  return found;
}
