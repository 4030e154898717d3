import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Issued } from './certificates.ts';

/** What differs from a server that greets, secures, takes every login and has an INBOX and a Sent. */
export interface PeerScript {
  readonly protocol: 'imap' | 'smtp';
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly certificate?: Issued | undefined;
  /** Instead of the usual greeting; null: nothing is ever said. `drop`: it hangs up at once. */
  readonly greeting?: string | null;
  /** A line of the PROXY protocol is awaited before anything is said. */
  readonly proxy?: boolean;
  /** Capabilities after TLS, or always where there is none. */
  readonly capabilities?: readonly string[];
  /** Answers to whole commands by name (`LOGIN`, `AUTHENTICATE`, `SELECT`, `AUTH`, `MAIL`, …), tag left out. Null: silence. */
  readonly answers?: Readonly<Record<string, string | null>> | undefined;
  /** Lines of LIST after INBOX. */
  readonly folders?: readonly string[];
  /** Its quota is used up, or to this share (0 to 1). */
  readonly full?: boolean | number;
  /** It ends every handshake with this alert (RFC 8446 section 6), such as 70: no version in common. */
  readonly alert?: number;
}

/** An IMAP or SMTP server on loopback that misbehaves as told, and keeps what it was told. */
export async function startMailPeer(script: PeerScript) {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (script.greeting === 'drop') socket.destroy();
    else if (script.alert !== undefined) refuseHandshake(socket, script.alert);
    else if (script.proxy)
      socket.once('data', (first) => (String(first).startsWith('PROXY') ? begin(socket, script, heard) : {}));
    else begin(socket, script, heard);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    heard,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export type MailPeer = Awaited<ReturnType<typeof startMailPeer>>;

function secured(socket: Socket, { certificate }: PeerScript): TLSSocket {
  const secureContext = createSecureContext({ cert: certificate?.cert, key: certificate?.key });
  const stream = new TLSSocket(socket, { isServer: true, secureContext });
  stream.on('error', () => socket.destroy());
  return stream;
}

const refuseHandshake = (socket: Socket, alert: number) =>
  socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, alert])));

function begin(socket: Socket, script: PeerScript, heard: string[]): void {
  const usual = script.protocol === 'imap' ? '* OK peer ready' : '220 peer.test ESMTP ready';
  const greeting = script.greeting === undefined ? usual : script.greeting;
  const stream = script.tls === 'implicit' ? secured(socket, script) : socket;
  if (greeting !== null) stream.write(`${greeting}\r\n`);
  serve(stream, { script, heard, isSecure: script.tls === 'implicit', socket });
}

interface Serving {
  readonly script: PeerScript;
  readonly heard: string[];
  readonly isSecure: boolean;
  readonly socket: Socket;
}

function serve(stream: Socket, serving: Serving): void {
  let buffered = '';
  const state = { inData: false };
  const hear = (chunk: Buffer) => {
    buffered += chunk.toString('latin1');
    for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      serving.heard.push(line);
      const isStartTls =
        /^(\S+ )?STARTTLS$/i.test(line) &&
        serving.script.answers?.STARTTLS === undefined &&
        serving.script.answers?.STAR === undefined;
      if (isStartTls && serving.script.tls === 'starttls') {
        stream.off('data', hear);
        stream.write(serving.script.protocol === 'imap' ? `${line.split(' ')[0]} OK go\r\n` : '220 go\r\n');
        serve(secured(serving.socket, serving.script), { ...serving, isSecure: true });
        return;
      }
      const text = serving.script.protocol === 'imap' ? imapAnswer(serving, line) : smtpAnswer(serving, line, state);
      if (text !== null) stream.write(text);
    }
  };
  stream.on('data', hear);
}

function imapAnswer({ script, isSecure }: Serving, line: string): string | null {
  const [tag = '*', first = ''] = line.split(' ');
  const name = first.toUpperCase();
  const scripted = script.answers?.[name];
  if (scripted === null) return null;
  if (scripted !== undefined) return scripted.startsWith('* BYE') ? `${scripted}\r\n` : `${tag} ${scripted}\r\n`;
  const offered =
    script.tls === 'starttls' && !isSecure ? ['STARTTLS', 'LOGINDISABLED'] : (script.capabilities ?? ['IDLE']);
  const lines: Record<string, readonly string[]> = {
    CAPABILITY: [`* CAPABILITY IMAP4rev1 ${offered.join(' ')}`],
    LIST: line.endsWith('"" ""')
      ? ['* LIST (\\Noselect) "/" ""']
      : ['* LIST (\\HasNoChildren) "/" INBOX', ...(script.folders ?? ['* LIST (\\HasNoChildren \\Sent) "/" Sent'])],
    SELECT: [
      '* 2 EXISTS',
      '* FLAGS (\\Seen)',
      '* OK [UIDVALIDITY 7] ok',
      '* OK [UIDNEXT 3] ok',
      '* OK [PERMANENTFLAGS (\\Seen)] ok',
    ],
    GETQUOTAROOT: ['* QUOTAROOT INBOX ""', `* QUOTA "" (STORAGE ${Math.round(Number(script.full ?? 0.01) * 100)} 100)`],
    LOGOUT: ['* BYE'],
  };
  const done = name === 'SELECT' ? 'OK [READ-WRITE] done' : 'OK done';
  return [...(lines[name] ?? []), `${tag} ${done}`].map((one) => `${one}\r\n`).join('');
}

function smtpAnswer({ script, isSecure }: Serving, line: string, state: { inData: boolean }): string | null {
  if (state.inData) {
    if (line !== '.') return null;
    state.inData = false;
    return `${script.answers?.['.'] ?? '250 2.0.0 queued'}\r\n`;
  }
  const name = line.slice(0, 4).toUpperCase();
  const scripted = script.answers?.[name];
  if (scripted === null) return null;
  if (scripted !== undefined) return `${scripted}\r\n`;
  if (name === 'EHLO') {
    const offered =
      script.tls === 'starttls' && !isSecure ? ['STARTTLS'] : (script.capabilities ?? ['AUTH PLAIN LOGIN XOAUTH2']);
    const lines = ['peer.test', ...offered];
    return lines.map((text, at) => `250${at === lines.length - 1 ? ' ' : '-'}${text}\r\n`).join('');
  }
  if (name === 'DATA') state.inData = true;
  const usual: Record<string, string> = {
    AUTH: '235 2.7.0 welcome',
    DATA: '354 go',
    QUIT: '221 bye',
    STAR: '502 5.5.1 no such command',
  };
  return `${usual[name] ?? '250 2.1.0 ok'}\r\n`;
}
