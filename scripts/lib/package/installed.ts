import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { Image } from './replay.ts';

const readySchema = z.looseObject({ smtp: z.object({ host: z.string(), port: z.int() }) });

const OWNER = 'you@agents.localhost';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunningGateway {
  /** Sends a mail as its owner does; resolves at the 250. */
  submit(mail: { id: string; text: string } | { raw: Buffer }): Promise<void>;
  /** Hands a mail in as the relay at 127.0.0.9 does. Rejects where it is refused. */
  relay(raw: Buffer): Promise<void>;
  /** SIGTERM; resolves with its exit code. */
  stop(): Promise<number | null>;
  said(): string;
}

/** The program as npm installed it for all users. */
export interface Installed {
  run(args: readonly string[], options?: { input?: string; environment?: Readonly<Record<string, string>> }): Ended;
  /** Of a command that ends well with `--json`. Throws when it does not. */
  json(args: readonly string[], options?: Parameters<Installed['run']>[1]): unknown;
  start(workspace: string, environment?: Readonly<Record<string, string>>): Promise<RunningGateway>;
}

export function installedIn({ root, environment }: Image): Installed {
  const program = join(root, 'usr/local/bin/epistle');
  const run: Installed['run'] = (args, { input = '', environment: more = {} } = {}) => {
    const env = { ...environment, ...more };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, env, input, encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  };
  return {
    run,
    json(args, options) {
      const { code, out, err } = run([...args, '--json'], options);
      if (code !== 0) throw new Error(`epistle ${args.join(' ')} ended with ${code}: ${out}${err}`);
      return JSON.parse(out);
    },
    start: (workspace, more = {}) =>
      startGateway({
        command: [program, 'start', '--json', '--workspace', workspace],
        workspace,
        env: { ...environment, ...more },
      }),
  };
}

const started = new Set<ChildProcess>();

/** Those that a part which failed has left running. */
export async function endGateways(): Promise<void> {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/** A gateway by whatever command starts one. */
export async function startGateway(options: {
  command: readonly string[];
  workspace: string;
  env: Readonly<Record<string, string>>;
}): Promise<RunningGateway> {
  const { command, workspace, env } = options;
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    exited.then((code) => Promise.reject(new Error(`the gateway ended with ${code}: ${said}`))),
  ]);
  const { smtp } = readySchema.parse(JSON.parse(line));
  const pass = readFileSync(join(workspace, 'data/submission.secret'), 'utf8').trim();
  return {
    async submit(mail) {
      const transport = createTransport({ ...smtp, secure: false, ignoreTLS: true, auth: { user: 'epistle', pass } });
      const [from, to] = [OWNER, 'ada@agents.localhost'];
      const envelope = { from, to: [to] };
      if ('raw' in mail) await transport.sendMail({ envelope, raw: mail.raw });
      else {
        const { id, text } = mail;
        // The same mail again has the same date.
        const same = { messageId: `<${id}@example.com>`, date: new Date('2026-11-23T14:00:00Z') };
        await transport.sendMail({ envelope, from, to, subject: id, text, ...same });
      }
      transport.close();
    },
    async relay(raw) {
      const transport = createTransport({ ...smtp, secure: false, ignoreTLS: true, localAddress: '127.0.0.9' });
      await transport.sendMail({ envelope: { from: OWNER, to: ['ada@agents.localhost'] }, raw });
      transport.close();
    },
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    said: () => said,
  };
}

/** The mails of ours that were answered, by the names of their Message-IDs; one that has two answers stands twice. */
export function answeredIn(workspace: string): string[] {
  const folder = join(workspace, 'data/outgoing');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'latin1');
      const [, id] = /^In-Reply-To: <([^@>]+)@example\.com>/im.exec(text) ?? [];
      return id !== undefined && /^X-Epistle-Kind: reply/im.test(text) ? [id] : [];
    })
    .sort();
}

/** Looks every 100 ms, for a minute at most. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let looks = 0; looks < 600; looks += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it did not happen within a minute: ${what}`);
}
