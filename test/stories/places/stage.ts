import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { createTransport } from 'nodemailer';
import { SUBMISSION_USER } from '../../../engine/gateway/smtp/listener.ts';
import { run } from '../../flow/command-line.ts';
import { launchGateway, type Program, readOutgoing } from '../../flow/gateway.ts';
import { bytesOf } from './files.ts';
import type { Letter, Place } from './place.ts';

/** How often it is looked whether a run has ended. */
const LOOK_MS = 100;
/** What follows from a run is tried at once; some of it may have to wait for longer. */
const REST_MS = 20_000;

export type Left = Awaited<ReturnType<typeof readOutgoing>>;

/** A mail of a thread, as those who have it could answer it. */
interface InThread {
  readonly id: string;
  readonly references: readonly string[];
  readonly people: readonly string[];
}

export type Stage = ReturnType<typeof openStage>;

/**
 * The gateway of one place in a process of its own, with the door by which its mail comes and whatever leaves it.
 * `isAsked`: whether its model is, and has not answered.
 */
export function openStage(place: Place, { root, isAsked }: { root: string; isAsked(): boolean }) {
  const lives: { now: Program | null; at: number; begun: number } = { now: null, at: 0, begun: 0 };
  const threads = new Map<string, InThread[]>();
  const seen = new Set<string>();
  const database = join(root, 'data/personas', place.place, 'persona.db');
  const folder = join(root, 'data/outgoing');

  const now = (): number => lives.at + (performance.now() - lives.begun);
  const environment = () => ({ NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(now()).toISOString() });

  async function begin(at: number): Promise<void> {
    await lives.now?.stop();
    Object.assign(lives, { at, begun: performance.now() });
    lives.now = await launchGateway(root, environment()).ready;
  }

  function gateway(): Program {
    if (lives.now === null) throw new Error('no gateway is at work');
    const { process, log } = lives.now;
    if (process.exitCode !== null || process.signalCode !== null) throw new Error(`the gateway has ended:\n${log()}`);
    return lives.now;
  }

  function ask<Row>(sql: string, ...values: string[]): Row[] {
    if (!existsSync(database)) return [];
    const opened = new SQLite(database, { readonly: true });
    try {
      return opened.prepare<string[], Row>(sql).all(...values);
    } finally {
      opened.close();
    }
  }

  const count = (sql: string): number => Number(ask<{ n: number }>(`select count(*) as n from ${sql}`)[0]?.n ?? 0);
  const atWork = () => count("runs where status in ('queued', 'running') and deferred_code is null");
  const firstTries = () =>
    count("outbox where state = 'sending' or (state = 'queued' and attempts = 0)") +
    count(
      `jobs where parked_code is null and (leased_by is not null or attempts = 0 and due_at <= ${Math.floor(now())})`,
    );

  /** Waits, for as long as it takes, until every run has ended or waits for somebody, and what follows has been tried. */
  async function ended(): Promise<void> {
    for (let still = 0; still < REST_MS; still += LOOK_MS) {
      while (atWork() > 0 || isAsked()) {
        gateway();
        still = 0;
        await passed(LOOK_MS);
      }
      if (firstTries() === 0) return;
      await passed(LOOK_MS);
    }
  }

  /** Waits until all that owners have agreed to has been tried, and what follows. */
  async function decided(): Promise<void> {
    while (count("approvals where state in ('approved', 'executing')") > 0) {
      gateway();
      await passed(LOOK_MS);
    }
    await ended();
  }

  const nameOf = (address: string): string => place.people.find((one) => one.address === address)?.name ?? '';
  const named = (address: string) => ({ name: nameOf(address), address });
  const idOf = ({ id, from }: Letter): string => `<${place.place}-${id}@${from.slice(from.indexOf('@') + 1)}>`;

  /** What its writer answers: the last mail of the thread that they wrote or got. */
  function answered({ thread, from }: Letter): InThread | null {
    const all = thread === null ? [] : (threads.get(thread) ?? []);
    return all.findLast(({ people }) => people.includes(from)) ?? null;
  }

  function keep(thread: string | null, mail: InThread): void {
    if (thread !== null) threads.set(thread, [...(threads.get(thread) ?? []), mail]);
  }

  /** Hands a mail in by SMTP, as a mail program with a login does; resolves with its Message-ID. */
  async function post(letter: Letter, date: number): Promise<string> {
    const { smtp } = gateway().ready;
    const transport = createTransport({
      host: smtp.host,
      port: smtp.port,
      ignoreTLS: true,
      auth: { user: SUBMISSION_USER, pass: readFileSync(join(root, 'data/submission.secret'), 'utf8').trim() },
    });
    const messageId = idOf(letter);
    const before = answered(letter);
    const references = before === null ? [] : [...before.references, before.id];
    try {
      await transport.sendMail({
        messageId,
        date: new Date(date),
        from: named(letter.from),
        to: letter.to.map(named),
        cc: letter.cc.map(named),
        // The others have it from their own servers.
        envelope: { from: letter.from, to: [place.persona.address] },
        subject: letter.subject,
        text: letter.text,
        attachments: letter.files.map((id) => {
          const file = place.files.find((one) => one.id === id);
          if (!file) throw new Error(`${place.place} has no file ${id}`);
          return { filename: file.name, content: bytesOf(place, file) };
        }),
        ...(before === null ? {} : { inReplyTo: before.id, references: [...references] }),
      });
    } finally {
      transport.close();
    }
    keep(letter.thread, { id: messageId, references, people: [letter.from, ...letter.to, ...letter.cc] });
    return messageId;
  }

  /** Mails that have left since the last time, in order. */
  async function newlyLeft(): Promise<Left[]> {
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    const fresh = names.filter((name) => !seen.has(name)).toSorted();
    for (const name of fresh) seen.add(name);
    return Promise.all(fresh.map((name) => readOutgoing(join(folder, name))));
  }

  /** A mail of the persona is one of this thread from now on. */
  function keepSent(thread: string | null, { mail, envelopeTo }: Left): void {
    const references = [mail.references ?? []].flat();
    const people = [place.persona.address, ...envelopeTo.split(',').map((one) => one.trim())];
    keep(thread, { id: mail.messageId ?? '', references, people });
  }

  /** A command of the gateway, with its document. */
  // biome-ignore lint/suspicious/noExplicitAny: the documents have many shapes
  async function cli(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await run([...args, '--json', '--workspace', root], {
      environment: environment(),
    });
    if (code !== 0) throw new Error(`epistle ${args.join(' ')} ended with ${code}:\n${stderr}`);
    return JSON.parse(stdout);
  }

  return {
    begin,
    now,
    ask,
    ended,
    decided,
    post,
    newlyLeft,
    keepSent,
    cli,
    stop: async () => {
      await lives.now?.stop();
      lives.now = null;
    },
  };
}
