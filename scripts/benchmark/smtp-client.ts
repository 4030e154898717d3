import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface SmtpClient {
  /** Resolves at the 250 for the mail; throws what the server said instead. */
  send(from: string, to: string, mail: string): Promise<void>;
  close(): void;
}

/** A client that costs little: one connection, envelope and DATA in one packet (PIPELINING, RFC 2920). */
export async function openSmtpClient(host: string, port: number, secret: string): Promise<SmtpClient> {
  const socket = connect({ host, port, noDelay: true });
  const next = replies(socket);
  await expectCode(next, '220');
  await say(socket, next, 'EHLO localhost', '250');
  if (secret !== '') {
    await say(socket, next, `AUTH PLAIN ${Buffer.from(`\0epistle\0${secret}`).toString('base64')}`, '235');
  }
  return {
    async send(from, to, mail) {
      socket.write(`MAIL FROM:<${from}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`);
      await expectCode(next, '250');
      await expectCode(next, '250');
      await expectCode(next, '354');
      socket.write(`${mail}.\r\n`);
      await expectCode(next, '250');
    },
    close: () => socket.destroy(),
  };
}

async function say(socket: Socket, next: () => Promise<string>, line: string, code: string): Promise<void> {
  socket.write(`${line}\r\n`);
  await expectCode(next, code);
}

async function expectCode(next: () => Promise<string>, code: string): Promise<void> {
  const reply = await next();
  if (!reply.startsWith(code)) throw new Error(`the server said ${reply} where ${code} was due`);
}

/** The last line of each reply, in order. */
function replies(socket: Socket): () => Promise<string> {
  const heard: string[] = [];
  const wanted: PromiseWithResolvers<string>[] = [];
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines.filter((each) => each[3] !== '-')) {
      const waiter = wanted.shift();
      if (waiter) waiter.resolve(line);
      else heard.push(line);
    }
  });
  void once(socket, 'close').then(() => {
    for (const waiter of wanted) waiter.reject(new Error('the server closed the connection'));
  });
  return async () => {
    const line = heard.shift();
    if (line !== undefined) return line;
    const waiter = Promise.withResolvers<string>();
    wanted.push(waiter);
    return waiter.promise;
  };
}
