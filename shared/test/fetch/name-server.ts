import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { parseAddress } from '@scriptorium/fetching/address';

const TYPES: Record<number, 'ipv4' | 'ipv6'> = { 1: 'ipv4', 28: 'ipv6' };
const HEADER_BYTES = 12;
const RESPONSE = 0x8180;
const NAME_ERROR = 3;

export interface NameServer {
  /** `address:port` */
  address: string;
  /** Requested names. */
  asked: Set<string>;
  close(): void;
}

/** A name server on loopback (RFC 1035 §4.1) with these addresses. It does not respond to queries for `silent` names. */
export async function startNameServer(zone: Record<string, string[] | 'silent'>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  socket.on('message', (query, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(query);
    asked.add(name);
    const known = zone[name];
    if (known === 'silent') return;
    const answers = (known ?? []).map(parseAddress).filter((address) => address.kind() === TYPES[type]);
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(RESPONSE | (known === undefined ? NAME_ERROR : 0), 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    const records = answers.map((address) => {
      const bytes = Buffer.from(address.toByteArray());
      return Buffer.concat([
        Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]),
        bytes,
      ]);
    });
    socket.send(
      Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
