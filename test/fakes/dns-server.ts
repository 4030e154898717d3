import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** TXT records by lower-case name; a name that is not there does not exist. */
export type Zone = Record<string, string>;

/** Records of other types by lower-case name, for who looks up servers; it may be changed while the server runs. */
export interface Hosts {
  readonly addresses?: Record<string, string>;
  readonly exchanges?: Record<string, string>;
  readonly services?: Record<string, { readonly host: string; readonly port: number }>;
}

const [A, MX, TXT, SRV] = [1, 15, 16, 33];
const [NO_ERROR, SERVER_FAILURE, NAME_ERROR] = [0, 2, 3];

/**
 * A DNS server on loopback over UDP: answers TXT from the zone and the addresses of hosts, breaks on request, says nothing at all about names that
 * are silent, and keeps what it was asked.
 */
export async function startDnsServer(
  zone: Zone,
  isSilent: (name: string) => boolean = () => false,
  { host, port }: { host: string; port: number } = { host: '127.0.0.1', port: 0 },
  hosts: Hosts = {},
) {
  const state = { broken: false };
  const silent = new Set<string>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const { name, type, end } = questionOf(message);
    asked.push(name);
    if (isSilent(name) || [...silent].some((domain) => name === domain || name.endsWith(`.${domain}`))) return;
    const found = recordsOf(name, zone, hosts);
    const code = state.broken ? SERVER_FAILURE : found.length === 0 ? NAME_ERROR : NO_ERROR;
    const records = code === NO_ERROR ? found.filter((one) => one.type === type).map(recordOf) : [];
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

interface Found {
  readonly type: number;
  readonly data: Buffer;
}

function recordsOf(name: string, zone: Zone, { addresses = {}, exchanges = {}, services = {} }: Hosts): Found[] {
  const [text, address, exchange, service] = [zone[name], addresses[name], exchanges[name], services[name]];
  const number = (value: number) => Buffer.from([value >> 8, value & 255]);
  return [
    ...(text === undefined ? [] : [{ type: TXT, data: txtOf(text) }]),
    ...(address === undefined ? [] : [{ type: A, data: Buffer.from(address.split('.').map(Number)) }]),
    ...(exchange === undefined ? [] : [{ type: MX, data: Buffer.concat([number(10), nameOf(exchange)]) }]),
    ...(service === undefined
      ? []
      : [
          {
            type: SRV,
            data: Buffer.concat([number(0), number(1), number(service.port), nameOf(service.host)]),
          },
        ]),
  ];
}

const nameOf = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

const txtOf = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/.{1,255}/gs) ?? ['']).map((piece) =>
      Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]),
    ),
  );

function recordOf({ type, data }: Found): Buffer {
  const record = Buffer.alloc(12);
  // The name of the question, by pointer.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}
