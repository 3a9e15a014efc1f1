/** Encodes data in ASCII85 (ISO 32000-2, 7.4.3), with its end mark. */
export function ascii85(data: Buffer): Buffer {
  let text = '';
  for (let at = 0; at < data.length; at += 4) {
    const group = Buffer.alloc(4);
    const length = data.copy(group, 0, at, at + 4);
    let value = group.readUInt32BE();
    const digits = [0, 0, 0, 0, 0];
    for (let place = 4; place >= 0; place--) {
      digits[place] = value % 85;
      value = Math.floor(value / 85);
    }
    text += String.fromCharCode(...digits.slice(0, length + 1).map((digit) => digit + 33));
    if ((at / 4) % 15 === 14) text += '\n';
  }
  return Buffer.from(`${text}~>`, 'latin1');
}
