const DATA_URI = /^data:image\/[^,]*,/i;
const BASE64 = /;base64,$/i;

/** Whether an address is an image itself. */
export function isDataUri(address: string): boolean {
  return DATA_URI.test(address.slice(0, 200));
}

/** The bytes of a data URI. */
export function bytesOfDataUri(uri: string): Buffer {
  const start = uri.indexOf(',') + 1;
  if (BASE64.test(uri.slice(0, start))) return Buffer.from(uri.slice(start), 'base64');
  try {
    return Buffer.from(decodeURIComponent(uri.slice(start)));
  } catch (error) {
    // Not percent-encoded text. The image will be refused by its bytes.
    if (error instanceof URIError) return Buffer.from(uri.slice(start));
    throw error;
  }
}
