import { connect } from 'node:net';
import { createInterface } from 'node:readline';

export interface Door {
  readonly port: number;
  readonly secret: string;
}

/** What a sender knows after one try. `lost` and `hung_up`: the mail may have been taken, or not. */
export type Attempt =
  | { readonly kind: 'acknowledged' | 'later' | 'refused'; readonly answer: string }
  | { readonly kind: 'lost' | 'hung_up' };

export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Buffer;
}

const GIVE_UP_MS = 30_000;

/**
 * One SMTP conversation, written here on its own so that no mistake of ours about SMTP is made on both sides.
 * `hangUp` ends the connection right after the final dot, without waiting for what is said about it.
 */
export async function submit(door: Door, mail: Envelope, hangUp = false): Promise<Attempt> {
  const socket = connect(door.port, '127.0.0.1');
  socket.setTimeout(GIVE_UP_MS, () => socket.destroy());
  const lines = createInterface(socket);
  // A killed gateway resets its connections. That is an answer like any other here, and readline repeats it.
  socket.on('error', () => lines.close());
  lines.on('error', () => {});
  socket.on('close', () => lines.close());
  const script = dialogue(door, mail);
  let said = 0;
  try {
    for await (const line of lines) {
      if (line[3] === '-') continue;
      if (/^5/.test(line)) return { kind: 'refused', answer: line };
      if (!/^[23]/.test(line)) return { kind: 'later', answer: line };
      const next = script[said];
      if (next === undefined) return { kind: 'acknowledged', answer: line };
      said += 1;
      if (hangUp && said === script.length) {
        await new Promise<void>((resolve) => socket.write(next, () => resolve()));
        return { kind: 'hung_up' };
      }
      socket.write(next);
    }
    return { kind: 'lost' };
  } catch {
    return { kind: 'lost' };
  } finally {
    socket.destroy();
  }
}

/** What is said after each good answer, beginning with the greeting. The last is the body. */
function dialogue({ secret }: Door, { from, to, raw }: Envelope): (string | Buffer)[] {
  const plain = Buffer.from(`\0epistle\0${secret}`).toString('base64');
  const stuffed = raw.toString('latin1').replace(/^\./gm, '..');
  const end = stuffed.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n';
  return [
    'EHLO relay.member.example\r\n',
    `AUTH PLAIN ${plain}\r\n`,
    `MAIL FROM:<${from}>\r\n`,
    ...to.map((address) => `RCPT TO:<${address}>\r\n`),
    'DATA\r\n',
    Buffer.from(stuffed + end, 'latin1'),
  ];
}
