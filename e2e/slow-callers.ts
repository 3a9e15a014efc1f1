import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const HEAD =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="letter.docx"\r\n' +
  'Content-Type: application/octet-stream\r\n\r\n';
const TAIL = '\r\n--b--\r\n';

/** The multipart body of a document. */
export function formOf(document: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(HEAD), document, Buffer.from(TAIL)]);
}

/** A request to convert, on its own connection, whose body the caller still has to send. */
export function openRequest(url: string, key: string, bodyBytes: number): ClientRequest {
  const opened = request(`${url}/v1/convert?from=docx`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': bodyBytes,
    },
  });
  opened.on('error', () => undefined);
  return opened;
}

/** The head of the response, with its body unread; null if the connection closed without one. */
export function headOf(opened: ClientRequest): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    opened.once('response', resolve);
    opened.once('close', () => resolve(null));
  });
}

/** Sends a body byte by byte, one per second, until it is sent or the connection closes. */
export async function trickle(opened: ClientRequest, body: Uint8Array): Promise<void> {
  for (const byte of body) {
    if (opened.destroyed) return;
    opened.write(Buffer.from([byte]));
    await sleep(1_000);
  }
}
