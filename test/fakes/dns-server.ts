import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** TXT records by lower-case name; a name that is not there does not exist. */
export type Zone = Record<string, string>;

const [TXT, NO_ERROR, SERVER_FAILURE, NAME_ERROR] = [16, 0, 2, 3];

/**
 * A DNS server on loopback over UDP: answers TXT from the zone, breaks on request, says nothing at all about names that
 * are silent, and keeps what it was asked.
 */
export async function startDnsServer(
  zone: Zone,
  isSilent: (name: string) => boolean = () => false,
  { host, port }: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
) {
  const state = { broken: false };
  const silent = new Set<string>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const { name, type, end } = questionOf(message);
    asked.push(name);
    if (isSilent(name) || [...silent].some((domain) => name === domain || name.endsWith(`.${domain}`))) return;
    const text = zone[name];
    const code = state.broken ? SERVER_FAILURE : text === undefined ? NAME_ERROR : NO_ERROR;
    const records = code === NO_ERROR && type === TXT && text !== undefined ? [txtRecord(text)] : [];
    const head = Buffer.from(message.subarray(0, 12));
    // An answer, recursion available, the same question.
    head.writeUInt16BE(0x8180 | code, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    // What it was asked with besides (EDNS) is left out.
    head.writeUInt32BE(0, 8);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), peer.port, peer.address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    /** As `dns_servers` wants it. */
    address: `${host}:${socket.address().port}`,
    zone,
    asked,
    /** From now on every question gets SERVFAIL, or is answered again. */
    breakDown: (broken: boolean) => {
      state.broken = broken;
    },
    /** From now on nobody answers for this domain. */
    fallSilent: (domain: string) => {
      silent.add(domain);
    },
    stop: () => {
      socket.close();
    },
  };
}

export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>;

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function txtRecord(text: string): Buffer {
  const pieces = (text.match(/.{1,255}/gs) ?? ['']).map((piece) =>
    Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]),
  );
  const data = Buffer.concat(pieces);
  const record = Buffer.alloc(12);
  // The name of the question, by pointer.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(TXT, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}
