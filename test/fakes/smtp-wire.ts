import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Reply {
  readonly code: number;
  /** All lines, code included, joined by `\n`. */
  readonly text: string;
}

export interface Wire {
  readonly socket: Socket;
  /** The next reply of the server. Rejects when it hangs up before that. */
  reply(): Promise<Reply>;
  /** Writes a line and waits for its reply. */
  say(line: string): Promise<Reply>;
  /** These bytes and nothing else. */
  write(bytes: string | Uint8Array): void;
  /** EHLO, and AUTH PLAIN where a password is given; the last reply. */
  hello(login?: { user: string; password: string }): Promise<Reply>;
  /** MAIL and each RCPT; their replies in that order. */
  envelope(from: string, to: readonly string[]): Promise<Reply[]>;
  /** DATA, the mail with its dots stuffed, the final dot. */
  data(raw: Uint8Array | string): Promise<Reply>;
  /** A TCP reset, as a machine that dies sends it. */
  reset(): void;
  close(): void;
  /** Resolves when the server has hung up. */
  readonly ended: Promise<void>;
}

/** A client that says exactly what a test wants said, byte by byte, and waits for nothing else. */
export async function connectWire(
  port: number,
  options: { from?: string; host?: string; greeting?: boolean } = {},
): Promise<Wire> {
  const socket = connect({
    port,
    host: options.host ?? '127.0.0.1',
    ...(options.from ? { localAddress: options.from } : {}),
  });
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const replies: Reply[] = [];
  const waiting: { resolve(reply: Reply): void; reject(error: Error): void }[] = [];
  let buffered = '';
  let lines: string[] = [];
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    const parts = (buffered + chunk).split('\r\n');
    buffered = parts.pop() ?? '';
    for (const line of parts) {
      lines.push(line);
      if (line[3] === '-') continue;
      const reply = { code: Number(line.slice(0, 3)), text: lines.join('\n') };
      lines = [];
      const first = waiting.shift();
      if (first) first.resolve(reply);
      else replies.push(reply);
    }
  });
  socket.on('error', () => {});
  // Not `once`: that rejects when the server resets the connection, and then nobody hears of the end.
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the server hung up'));
  });
  const reply = (): Promise<Reply> => {
    const ready = replies.shift();
    if (ready) return Promise.resolve(ready);
    if (socket.destroyed) return Promise.reject(new Error('the server hung up'));
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
  const write = (bytes: string | Uint8Array) => {
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  };
  const say = (line: string) => {
    write(`${line}\r\n`);
    return reply();
  };
  const wire: Wire = {
    socket,
    reply,
    say,
    write,
    ended,
    async hello(login) {
      const hello = await say('EHLO client.test');
      if (!login) return hello;
      return say(`AUTH PLAIN ${Buffer.from(`\0${login.user}\0${login.password}`).toString('base64')}`);
    },
    async envelope(from, to) {
      const answers = [await say(`MAIL FROM:<${from}>`)];
      for (const address of to) answers.push(await say(`RCPT TO:<${address}>`));
      return answers;
    },
    async data(raw) {
      const go = await say('DATA');
      if (go.code !== 354) return go;
      write(stuffed(raw));
      return reply();
    },
    reset: () => void socket.resetAndDestroy(),
    close: () => void socket.destroy(),
  };
  if (options.greeting !== false) await reply();
  return wire;
}

/** RFC 5321 section 4.5.2, and the end of the mail. */
export function stuffed(raw: Uint8Array | string): Buffer {
  const text = Buffer.from(raw).toString('latin1').replaceAll('\r\n.', '\r\n..');
  const started = text.startsWith('.') ? `.${text}` : text;
  return Buffer.from(`${started}${started.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1');
}
