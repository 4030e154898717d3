import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { bearerIn } from './imap-peer.ts';

/** What the peer does at a stage: answer with this line, drop the connection, or say nothing for ever. */
export type Act = string | 'drop' | 'hang';

/** Only what differs from a server that takes everything. */
export interface Script {
  greeting?: Act;
  ehlo?: readonly string[];
  auth?: Act;
  /** Whether this user may log in with this access token. */
  bearer?: (user: string, token: string) => boolean;
  mail?: Act;
  /** The answer to MAIL from a sender that is not taken; null: it is. */
  refusesSender?: (from: string) => Act | null;
  /** By recipient address; `*` for the rest. */
  rcpt?: Readonly<Record<string, Act>>;
  data?: Act;
  /** After so many bytes of the body the connection drops. */
  dropAfterBodyBytes?: number;
  /** The answer to the final dot. */
  dot?: Act;
  /** Whether a mail whose dot is answered by `drop` or `hang` is kept all the same. */
  store?: boolean;
}

export interface HeardMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

interface Session {
  from: string;
  to: string[];
  buffered: string;
  inData: boolean;
  /** The client has yet to hear that its token is not taken. */
  isRefused: boolean;
}

/** An SMTP server on loopback that does what the script says and keeps what it heard. */
export async function startSmtpPeer(script: Script = {}) {
  const mails: HeardMail[] = [];
  const commands: string[] = [];
  const sockets = new Map<Socket, Session>();
  const counts = { connections: 0 };
  const server = createServer({ noDelay: true }, (socket) => {
    counts.connections += 1;
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const session: Session = { from: '', to: [], buffered: '', inData: false, isRefused: false };
    sockets.set(socket, session);
    act(socket, script.greeting ?? '220 peer.test ready');
    socket.on('data', (chunk) => {
      session.buffered += chunk;
      consume(socket, session, { script, mails, commands });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Change it between two mails. */
    script,
    mails,
    commands,
    connections: () => counts.connections,
    /** Ends all open connections, as a server does with idle ones. */
    dropAll: async () => {
      const closed = [...sockets.keys()].map((socket) => once(socket, 'close'));
      for (const socket of sockets.keys()) socket.destroy();
      await Promise.all(closed);
    },
    /** The same, but of those over which a mail is on its way: whether that one was taken is not in doubt. */
    dropIdle: async () => {
      const idle = [...sockets].flatMap(([socket, { inData }]) => (inData ? [] : [socket]));
      const closed = idle.map((socket) => once(socket, 'close'));
      for (const socket of idle) socket.destroySoon();
      await Promise.all(closed);
    },
    stop: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Ears {
  readonly script: Script;
  readonly mails: HeardMail[];
  readonly commands: string[];
}

function consume(socket: Socket, session: Session, ears: Ears): void {
  // One that ends takes nothing more.
  while (!socket.destroyed && !socket.writableEnded) {
    if (session.inData) {
      if (!consumeBody(socket, session, ears)) return;
      continue;
    }
    const end = session.buffered.indexOf('\r\n');
    if (end < 0) return;
    const line = session.buffered.slice(0, end);
    session.buffered = session.buffered.slice(end + 2);
    ears.commands.push(line);
    act(socket, answerTo(session, ears.script, line));
    if (/^QUIT/i.test(line)) socket.end();
  }
}

function consumeBody(socket: Socket, session: Session, { script, mails }: Ears): boolean {
  if (script.dropAfterBodyBytes !== undefined && session.buffered.length > script.dropAfterBodyBytes) {
    socket.destroy();
    return false;
  }
  const end = session.buffered.indexOf('\r\n.\r\n');
  if (end < 0) return false;
  const raw = session.buffered.slice(0, end + 2).replace(/\r\n\.\./g, '\r\n.');
  session.buffered = session.buffered.slice(end + 5);
  session.inData = false;
  const answer = script.dot ?? '250 2.0.0 queued as PEER1';
  if (script.store ?? answer.startsWith('2')) mails.push({ from: session.from, to: session.to, raw });
  session.to = [];
  act(socket, answer);
  return true;
}

/** XOAUTH2 and OAUTHBEARER: a refusal is told as JSON first, which the client has to acknowledge. */
function authenticated(session: Session, { bearer, ehlo }: Script, line: string): Act | null {
  if (session.isRefused) {
    session.isRefused = false;
    return '535 5.7.8 Username and Password not accepted';
  }
  const [verb, mechanism = '', initial = ''] = line.split(' ');
  if (verb !== 'AUTH' || !bearer) return null;
  if (!offers(ehlo ?? USUAL, mechanism)) return '504 5.5.4 unrecognised mechanism';
  const { user, token } = bearerIn(mechanism, initial);
  if (bearer(user, token)) return '235 2.7.0 welcome';
  session.isRefused = true;
  return `334 ${Buffer.from('{"status":"400","schemes":"Bearer"}').toString('base64')}`;
}

const USUAL = ['PIPELINING', '8BITMIME', 'AUTH PLAIN XOAUTH2'];

const offers = (ehlo: readonly string[], mechanism: string): boolean =>
  ehlo.some((line) => line.startsWith('AUTH ') && line.split(' ').includes(mechanism));

/** What to answer; changes the session. */
function answerTo(session: Session, script: Script, line: string): Act {
  const verb = line.slice(0, 4).toUpperCase();
  const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
  if (verb === 'EHLO') {
    const lines = ['peer.test', ...(script.ehlo ?? USUAL)];
    return lines.map((text, at) => `250${at === lines.length - 1 ? ' ' : '-'}${text}`).join('\r\n');
  }
  const ofToken = authenticated(session, script, line);
  if (ofToken !== null) return ofToken;
  if (verb === 'AUTH') return script.auth ?? '235 2.7.0 welcome';
  if (verb === 'MAIL') {
    session.from = address;
    session.to = [];
    return script.refusesSender?.(address) ?? script.mail ?? '250 2.1.0 ok';
  }
  if (verb === 'RCPT') {
    const answer = script.rcpt?.[address] ?? script.rcpt?.['*'] ?? '250 2.1.5 ok';
    if (answer.startsWith('2')) session.to = [...session.to, address];
    return answer;
  }
  if (verb === 'DATA') {
    const answer = script.data ?? (session.to.length > 0 ? '354 go ahead' : '554 5.5.1 no valid recipients');
    session.inData = answer.startsWith('354');
    return answer;
  }
  return verb === 'QUIT' ? '221 bye' : '250 ok';
}

function act(socket: Socket, what: Act): void {
  if (what === 'drop') socket.destroy();
  else if (what !== 'hang') socket.write(`${what}\r\n`);
}
