/** The permutation of RFC 2268, 2. */
const PITABLE = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2' +
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec' +
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9' +
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
);
const ROTATIONS = [1, 2, 3, 5] as const;
/** Mixing rounds that precede a mashing round, counted from the end of an encryption (RFC 2268, 3.3). */
const MASHED_AFTER = new Set([5, 11]);
const BLOCK_OCTETS = 8;

/**
 * Decrypts RC2 in CBC mode. The padding (RFC 8018, B.2.5) stays. `key` has as many octets as its effective bits need.
 * OpenSSL 3 has RC2 only in an optional provider; certificates in old PKCS #12 files are encrypted with it.
 */
export function decryptRc2Cbc(key: Buffer, iv: Buffer, ciphertext: Buffer): Buffer {
  const words = expandKey(key);
  const plain = Buffer.alloc(ciphertext.length);
  const block = new Uint16Array(4);
  let before = iv;
  for (let offset = 0; offset + BLOCK_OCTETS <= ciphertext.length; offset += BLOCK_OCTETS) {
    for (let word = 0; word < 4; word++) block[word] = ciphertext.readUInt16LE(offset + 2 * word);
    decryptBlock(block, words);
    for (let word = 0; word < 4; word++)
      plain.writeUInt16LE((block[word] ?? 0) ^ before.readUInt16LE(2 * word), offset + 2 * word);
    before = ciphertext.subarray(offset, offset + BLOCK_OCTETS);
  }
  return plain;
}

/** RFC 2268, 2, for keys whose bits are all effective. */
function expandKey(key: Buffer): Uint16Array {
  const octets = Buffer.alloc(128);
  key.copy(octets);
  const at = (index: number): number => octets[index] ?? 0;
  const permuted = (index: number): number => PITABLE[index & 0xff] ?? 0;
  for (let index = key.length; index < 128; index++)
    octets[index] = permuted(at(index - 1) + at(index - key.length));
  octets[128 - key.length] = permuted(at(128 - key.length));
  for (let index = 127 - key.length; index >= 0; index--)
    octets[index] = permuted(at(index + 1) ^ at(index + key.length));
  return Uint16Array.from({ length: 64 }, (_, index) => octets.readUInt16LE(2 * index));
}

/** RFC 2268, 4. A Uint16Array reduces each result modulo 2^16. */
function decryptBlock(block: Uint16Array, key: Uint16Array): void {
  const at = (index: number): number => block[index & 3] ?? 0;
  for (let round = 15; round >= 0; round--) {
    for (let index = 3; index >= 0; index--) {
      const bits = ROTATIONS[index] ?? 0;
      const turned = ((at(index) << (16 - bits)) | (at(index) >>> bits)) & 0xffff;
      const mixed = (at(index + 3) & at(index + 2)) + (~at(index + 3) & at(index + 1));
      block[index] = turned - (key[4 * round + index] ?? 0) - mixed;
    }
    if (!MASHED_AFTER.has(round)) continue;
    for (let index = 3; index >= 0; index--) block[index] = at(index) - (key[at(index + 3) & 63] ?? 0);
  }
}
