import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail on its way. */
export interface Carried {
  /** The envelope's sender; empty for `<>`. */
  readonly from: string;
  readonly to: string;
  readonly raw: string;
}

/** Somebody who gets mail: a gateway, a robot, a person. May answer through `post`. */
export type Mailbox = (mail: Carried) => void | Promise<void>;

export type PostOffice = Awaited<ReturnType<typeof startPostOffice>>;

/** A mail server on loopback that hands everything to the mailbox of the recipient's domain and keeps what it took in. */
export async function startPostOffice() {
  const mailboxes = new Map<string, Mailbox>();
  const taken: Carried[] = [];
  const failures: string[] = [];

  const post = (mail: Carried): void => {
    const mailbox = mailboxes.get(mail.to.slice(mail.to.lastIndexOf('@') + 1).toLowerCase());
    // As in life, the server that took the mail says so before it is delivered.
    setImmediate(() => {
      Promise.resolve(mailbox?.(mail)).catch((error: unknown) => failures.push(String(error)));
    });
  };

  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('latin1');
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        for (const { address } of envelope.rcptTo) {
          taken.push({ from, to: address, raw });
          post({ from, to: address, raw });
        }
        done();
      });
    },
  });
  server.on('error', (error: Error) => failures.push(error.message));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
  });

  return {
    port,
    /** All that came in by SMTP, so all that gateways have sent. */
    taken: taken as readonly Carried[],
    failures: failures as readonly string[],
    post,
    serve(domain: string, mailbox: Mailbox): void {
      mailboxes.set(domain, mailbox);
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The first header of that name, unfolded; null when there is none. */
export function headerOf(raw: string, name: string): string | null {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? null;
}

const MARKS = /^(auto-submitted|x-auto-response-suppress|precedence|x-epistle-[a-z-]+):/i;

/** The mail as a careless system passes it on: nothing tells any more that a program wrote it. */
export function withoutMarks(raw: string): string {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw.slice(0, end).split(/\r\n(?![ \t])/);
  return lines.filter((line) => !MARKS.test(line)).join('\r\n') + raw.slice(end);
}
