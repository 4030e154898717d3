import type { Duplex } from 'node:stream';
import { dial, handshake, type Reached, type SeenTls } from './dial.ts';
import type { Net, Protocol, Server } from './net.ts';

/** What a server shows to everybody, before a login. */
export interface Seen {
  readonly reached: Reached;
  /** The first line that it says in the clear; null when it says none. */
  readonly greeting: string | null;
  /** It hung up before it said anything. */
  readonly hungUp: boolean;
  /** Null where no TLS was tried. */
  readonly tls: SeenTls | null;
  /** Over a connection that speaks TLS at once or not at all, whatever the settings say. */
  readonly speaksFirst: 'tls' | 'clear' | 'nothing';
  /** It greeted only after a line of the PROXY protocol. */
  readonly wantsProxyLine: boolean;
  /** In upper case, such as `IDLE` or `AUTH=PLAIN`; of SMTP the lines of its EHLO. As secured as the settings want it. */
  readonly capabilities: readonly string[];
  /** Its answer to STARTTLS where it was asked for and refused. */
  readonly startTls: string | null;
}

interface Look {
  readonly net: Net;
  readonly protocol: Protocol;
  readonly server: Server;
  /** PEM, where the settings name a file of their own. */
  readonly ca?: string | undefined;
  /** For each thing that is waited for. */
  readonly ms: number;
}

const NOTHING: Seen = {
  reached: { ok: false, code: 'EUNKNOWN', families: [] },
  greeting: null,
  hungUp: false,
  tls: null,
  speaksFirst: 'nothing',
  wantsProxyLine: false,
  capabilities: [],
  startTls: null,
};

/**
 * Connects, reads the greeting and what the server can do, looks at its certificate, and leaves. Sends no name and no
 * secret. Where the settings do not fit, it tries the other kind of TLS and the line of a proxy. Never throws.
 */
export async function look(options: Look): Promise<Seen> {
  const asked = options.server.tls === 'implicit' ? await lookSecured(options) : await lookInClear(options);
  if (!asked.reached.ok || asked.speaksFirst !== 'nothing') return asked;
  const other = options.server.tls === 'implicit' ? await lookInClear(options) : await lookSecured(options);
  if (other.reached.ok && other.speaksFirst !== 'nothing') {
    return { ...other, tls: options.server.tls === 'implicit' ? asked.tls : other.tls };
  }
  return { ...asked, hungUp: asked.hungUp || other.hungUp, wantsProxyLine: await greetsBehindProxy(options) };
}

async function lookSecured({ net, protocol, server, ca, ms }: Look): Promise<Seen> {
  const { reached, socket } = await dial(net, { ...server, ms });
  if (!socket) return { ...NOTHING, reached };
  try {
    const { tls, stream } = await handshake(socket, { host: server.host, ca, ms });
    if (!stream) return { ...NOTHING, reached, tls, hungUp: tls.code === 'ECONNRESET' };
    const greeted = await greet(stream, protocol, ms);
    stream.destroy();
    return { ...NOTHING, ...greeted, reached, tls, speaksFirst: 'tls' };
  } finally {
    socket.destroy();
  }
}

async function lookInClear({ net, protocol, server, ca, ms }: Look): Promise<Seen> {
  const { reached, socket } = await dial(net, { ...server, ms });
  if (!socket) return { ...NOTHING, reached };
  try {
    const talk = converse(socket);
    const clear = await greetOver(talk, protocol, ms);
    if (clear.greeting === null) return { ...NOTHING, ...clear, reached };
    const seen: Seen = { ...NOTHING, ...clear, reached, speaksFirst: 'clear' };
    if (server.tls !== 'starttls' || !offersStartTls(clear.capabilities)) return seen;
    const [answer] = (await talk.ask(protocol === 'imap' ? 'b STARTTLS' : 'STARTTLS', /^(b |\d{3} )/, ms)).slice(-1);
    if (!/^(b OK|220)/i.test(answer ?? '')) return { ...seen, startTls: answer ?? '' };
    talk.release();
    const { tls, stream } = await handshake(socket, { host: server.host, ca, ms });
    const inside = stream ? await abilities(converse(stream), protocol, ms) : [];
    stream?.destroy();
    return { ...seen, tls, capabilities: stream ? inside : seen.capabilities };
  } finally {
    socket.destroy();
  }
}

/** Dovecot and Postfix behind a balancer wait for its line, and say nothing to anybody else. */
async function greetsBehindProxy({ net, protocol, server, ms }: Look): Promise<boolean> {
  const { socket } = await dial(net, { ...server, ms });
  if (!socket) return false;
  try {
    socket.write('PROXY UNKNOWN\r\n');
    const first = await converse(socket).line(ms);
    return isGreetingOf(protocol, first ?? '');
  } finally {
    socket.destroy();
  }
}

export const isGreetingOf = (protocol: Protocol, line: string): boolean =>
  protocol === 'imap' ? /^\* (OK|PREAUTH|BYE)/i.test(line) : /^\d{3}[ -]/.test(line);

const offersStartTls = (capabilities: readonly string[]) => capabilities.includes('STARTTLS');

type Greeted = Pick<Seen, 'greeting' | 'hungUp' | 'capabilities'>;

const greet = (stream: Duplex, protocol: Protocol, ms: number) => greetOver(converse(stream), protocol, ms);

async function greetOver(talk: Conversation, protocol: Protocol, ms: number): Promise<Greeted> {
  let greeting = await talk.line(ms);
  while (protocol === 'smtp' && greeting !== null && /^220-/.test(greeting)) greeting = await talk.line(ms);
  if (greeting === null) return { greeting: talk.rest() || null, hungUp: talk.isOver(), capabilities: [] };
  const shown = greeting.replace(/\p{Cc}/gu, ' ').slice(0, 300);
  if (!/^(\* (OK|PREAUTH)|220)/i.test(greeting)) return { greeting: shown, hungUp: talk.isOver(), capabilities: [] };
  return { greeting: shown, hungUp: false, capabilities: await abilities(talk, protocol, ms) };
}

async function abilities(talk: Conversation, protocol: Protocol, ms: number): Promise<readonly string[]> {
  if (protocol === 'smtp') {
    const lines = await talk.ask('EHLO localhost', /^\d{3} /, ms);
    return lines
      .filter((line) => line.startsWith('250'))
      .slice(1)
      .map((line) => line.slice(4).trim().toUpperCase());
  }
  const lines = await talk.ask('a CAPABILITY', /^a /i, ms);
  const said = lines.find((line) => /^\* CAPABILITY /i.test(line)) ?? '';
  return said
    .toUpperCase()
    .split(' ')
    .slice(2)
    .filter((word) => word !== '');
}

/** Lines of a server, one after the other. */
interface Conversation {
  /** The next line without its end; null when none has come within `ms`, or the server hung up. */
  line(ms: number): Promise<string | null>;
  /** Says a line, then reads until one matches `last`; all that came, the matching one included. */
  ask(line: string, last: RegExp, ms: number): Promise<readonly string[]>;
  /** What came and was not read as a line: bytes of a protocol without lines. */
  rest(): string;
  /** Whether the server has hung up. */
  isOver(): boolean;
  /** Hears no more, so that TLS can go on over the same socket. */
  release(): void;
}

const MAX_BUFFERED = 64 * 1024;
const MAX_LINES = 100;

/** Reads a socket line by line; what exceeds 64 KiB unread ends it. */
function converse(socket: Duplex): Conversation {
  const state = { buffered: '', over: false, wake: () => {} };
  const heard = (chunk: Buffer) => {
    state.buffered += chunk.toString('latin1');
    if (state.buffered.length > MAX_BUFFERED) socket.destroy();
    state.wake();
  };
  const ended = () => {
    state.over = true;
    state.wake();
  };
  socket.on('data', heard).on('end', ended).on('close', ended);

  const take = (): string | null => {
    const end = state.buffered.indexOf('\n');
    if (end < 0) return null;
    const line = state.buffered.slice(0, end).replace(/\r$/, '');
    state.buffered = state.buffered.slice(end + 1);
    return line;
  };
  const line = async (ms: number): Promise<string | null> => {
    const waited = { out: false };
    const timer = setTimeout(() => {
      waited.out = true;
      state.wake();
    }, ms);
    try {
      for (;;) {
        const found = take();
        if (found !== null || waited.out || state.over) return found;
        await new Promise<void>((resolve) => {
          state.wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    line,
    async ask(said, last, ms) {
      if (!state.over) socket.write(`${said}\r\n`);
      const lines: string[] = [];
      while (lines.length < MAX_LINES) {
        const next = await line(ms);
        if (next === null) break;
        lines.push(next);
        if (last.test(next)) break;
      }
      return lines;
    },
    rest: () => state.buffered,
    isOver: () => state.over,
    release() {
      socket.off('data', heard).off('end', ended).off('close', ended);
    },
  };
}
