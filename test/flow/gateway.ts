import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { SUBMISSION_USER } from '../../engine/gateway/smtp/listener.ts';
import { run, withoutKeys } from './command-line.ts';
import { createCommands } from './commands.ts';
import { deathOf } from './death.ts';
import { startHosted } from './hosted-gateways.ts';

const ENTRY = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));

export interface Ready {
  readonly pid: number;
  readonly smtp: { readonly host: string; readonly port: number };
  readonly personas: readonly {
    readonly id: string;
    readonly address: string;
    readonly state: string;
    readonly error: string | null;
  }[];
  readonly mailboxes: readonly { readonly id: string; readonly state: string; readonly error: string | null }[];
  readonly console: { readonly url: string } | null;
}

/** A gateway at work, in whatever process. */
export interface Gateway {
  readonly ready: Ready;
  /** What it logged so far. */
  log(): string;
  /** Resolves when it has ended what was under way, and let go of its workspace. */
  stop(): Promise<unknown>;
  /** The quickest end that it has: for whoever has done with it. */
  end(): Promise<unknown>;
}

/** One in a process of its own. */
export interface Program extends Gateway {
  readonly process: ChildProcess;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Resolves when it has died where `EPISTLE_CRASH_AT` says; where it does not come there it is ended, and this rejects. */
  death(): Promise<void>;
}

/** A program that may not be ready yet, or never be. */
export interface Launched {
  readonly process: ChildProcess;
  /** Rejects when it ends before it is ready. */
  readonly ready: Promise<Program>;
  /** Its exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
  log(): string;
  /** As of a `Program`. */
  death(): Promise<void>;
}

/** The real program in a process of its own. */
export function launchGateway(
  root: string,
  environment: Readonly<Record<string, string>> = {},
  nodeFlags: readonly string[] = [],
): Launched {
  const child = spawn(process.execPath, [...nodeFlags, ENTRY, 'start', '--json', '--workspace', root], {
    env: { ...withoutKeys(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const told = { process: child, log: () => log };
  const death = () => deathOf(told, { root, at: environment.EPISTLE_CRASH_AT ?? 'its end' });
  const exited = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  const line = Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    exited.then((code) => Promise.reject(new Error(`the gateway ended with ${code} before it was ready:\n${log}`))),
  ]);
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const gateway = line.then(
    (text): Program => ({
      ...told,
      death,
      ready: JSON.parse(text) as Ready,
      async stop() {
        child.kill('SIGTERM');
        return exited;
      },
      kill,
      end: kill,
    }),
  );
  // Whoever kills it while it starts does not wait for it to be ready.
  gateway.catch(() => {});
  return { ...told, death, ready: gateway, exited };
}

/**
 * The same parts in the process of all gateways that these tests start so, which costs a fifth: for what a gateway does.
 * What a process does (it is killed, gets a signal, ends, holds memory) needs `launchGateway`.
 */
export function startGateway(root: string, environment: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  return startHosted(root, environment);
}

export interface Told {
  readonly code: number | null;
  // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes; tests assert on what they need.
  readonly json: any;
  readonly stderr: string;
}

const told = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }): Told => ({
  code,
  json: stdout.trim() === '' ? null : JSON.parse(stdout),
  stderr,
});

const commands = createCommands(withoutKeys(process.env));

/**
 * Runs one command of the CLI; resolves with its exit code, its --json document and what it wrote to stderr. The process
 * of those before it runs it, since starting one costs far more; what needs one of its own has `epistleAlone`. Of the
 * environment it hears what the process is told (its clock), and no keys.
 */
export const epistle = async (
  root: string,
  args: readonly string[],
  stdin = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Told> => told(await commands({ args: [...args, '--json', '--workspace', root], stdin, environment }));

/** The same in a process of its own: for another environment, and where code of extensions may do its worst. */
export const epistleAlone = async (
  root: string,
  args: readonly string[],
  options: { stdin?: string; environment?: Readonly<Record<string, string>> } = {},
): Promise<Told> => told(await run([...args, '--json', '--workspace', root], options));

/** Sends a mail as its owner would: over SMTP with the submission secret. Throws what the server answered. */
export async function submit(
  root: string,
  ready: Ready,
  mail: {
    from: string;
    to: string | string[];
    /** As its header names them; it is handed in for `to` alone. */
    cc?: string[];
    subject?: string;
    text?: string;
    messageId?: string;
    date?: Date;
    raw?: string | Buffer;
    inReplyTo?: string;
    references?: string[];
    attachments?: { filename: string; content: string | Buffer; contentType?: string }[];
  },
): Promise<string> {
  const transport = createTransport({
    host: ready.smtp.host,
    port: ready.smtp.port,
    secure: false,
    ignoreTLS: true,
    auth: { user: SUBMISSION_USER, pass: readFileSync(join(root, 'data/submission.secret'), 'utf8').trim() },
  });
  try {
    const { raw, from, to, ...message } = mail;
    const envelope = { from, to: [to].flat() };
    const info = await transport.sendMail(raw === undefined ? { from, to, envelope, ...message } : { envelope, raw });
    return info.messageId;
  } finally {
    transport.close();
  }
}

const outgoing = new Map<string, ReturnType<typeof parseOutgoing>>();

/** A file of `data/outgoing/`: its envelope lines and the mail, parsed. Once it is there it stays as it is. */
export function readOutgoing(path: string): ReturnType<typeof parseOutgoing> {
  const known = outgoing.get(path) ?? parseOutgoing(path);
  outgoing.set(path, known);
  return known;
}

async function parseOutgoing(path: string) {
  const bytes = readFileSync(path);
  const text = bytes.toString('latin1');
  const [from = '', to = ''] = text.split('\r\n');
  const raw = bytes.subarray(Buffer.byteLength(`${from}\r\n${to}\r\n`, 'latin1'));
  const mail = await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true });
  return {
    envelopeFrom: from.slice('X-Envelope-From: '.length),
    envelopeTo: to.slice('X-Envelope-To: '.length),
    raw,
    mail,
  };
}
