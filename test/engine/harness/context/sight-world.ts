import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import type { Persona } from '../../../../engine/config/types.ts';
import { replyRows } from '../../../../engine/harness/respond/reply-rows.ts';
import { decide } from '../../../../engine/intake/decide.ts';
import { rowsOfRun } from '../../../../engine/intake/effects/arrival-rows.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import type { ClaimedRun } from '../../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import type { Tier } from '../../../../engine/storage/types/mail.ts';

import { seededRandom } from '../../../../scripts/lib/soak/random.ts';
import { mailFacts, provenAs, rowFacts } from '../../intake/facts.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const ADA = 'ada@agents.localhost';
const LIMITS = {
  max_message_bytes: 1e6,
  max_attachments: 20,
  max_attachment_bytes: 1e6,
  max_mime_depth: 32,
  max_mime_parts: 200,
  max_files_bytes: 1e6,
};

export const PEOPLE = {
  'boss@owner.example': 'owner',
  'mia@member.example': 'member',
  'max@member.example': 'member',
  'kim@vendor.example': 'known',
  'kai@vendor.example': 'known',
  'sam@street.example': 'stranger',
} as const satisfies Record<string, Tier>;
export type Address = keyof typeof PEOPLE;
export const EVERYBODY = Object.keys(PEOPLE) as Address[];

/** What was written, and who has had it in their hands: as the world itself remembers it. */
export interface Written {
  readonly token: string;
  readonly threadId: string;
  /** Null: the persona. */
  readonly by: Address | null;
  /** As whom its sender was taken then; null: the persona. */
  readonly tier: Tier | null;
  readonly had: ReadonlySet<string>;
  readonly attachment: string | null;
}
/** What was told in the run for one sender alone: what stood beside the mail, and what tools brought. */
export interface Told {
  readonly token: string;
  readonly to: string;
  readonly tier: Tier;
}
/** A mail that came into a thread that was there, and the one that it answers. */
export interface Joined {
  readonly token: string;
  readonly threadId: string;
  readonly sender: Address;
  readonly isForged: boolean;
  readonly answered: Written | undefined;
}
export interface World {
  readonly store: Store;
  readonly written: readonly Written[];
  readonly told: readonly Told[];
  readonly threads: readonly string[];
  readonly joined: readonly Joined[];
  /** Threads in which somebody proven wrote `private` on a first line. */
  readonly hidden: ReadonlySet<string>;
}

export interface WorldOptions {
  /** Of the mails, how many are marked as private; 0 to 1. */
  readonly privateShare?: number;
  /** Hears of each run that has ended, while later mails are still to come. */
  ended?(loaded: ClaimedRun, world: Pick<World, 'store'>): Promise<void>;
}

const persona: Persona = {
  ...personaSchema.parse({ name: 'Ada', address: ADA }),
  id: 'ada',
  owners: ['boss@owner.example'],
};
const NO_GUARD = {
  max_replies_per_thread_per_hour: 0,
  max_replies_per_sender_per_hour: 0,
  fast_reply_s: 0,
  max_fast_replies: 0,
};

/** Random conversations through the real rows: arrivals planned, runs claimed, prompts kept, answers stored. */
export async function makeWorld(seed: number, threadCount: number, options: WorldOptions = {}): Promise<World> {
  const { privateShare = 0, ended } = options;
  const store = openStore(':memory:');
  const { next, chance, between } = seededRandom(seed);
  const pick = <One>(from: readonly One[]): One => from[Math.floor(next() * from.length)] as One;
  const some = <One>(from: readonly One[], share: number) => from.filter(() => chance(share));
  const clock = { now: NOON };
  const ids = randomIds(() => clock.now);
  const isOwnAddress = (address: string) => address === ADA;
  const numbers = { next: 0 };
  const token = (kind: string) => `${kind}${String(numbers.next++).padStart(6, '0')}x`;
  const written: Written[] = [];
  const told: Told[] = [];
  const threads = new Set<string>();
  const joined: Joined[] = [];
  const hidden = new Set<string>();

  /** Whoever stands in the mail that is answered answers more often than others. */
  const senderOf = (answers: string | undefined): Address => {
    const had = written.find(({ token: one }) => answers?.includes(one))?.had ?? new Set<string>();
    const named = EVERYBODY.filter((address) => had.has(address));
    return pick(named.length > 0 && chance(0.3) ? named : EVERYBODY);
  };

  async function arrive(before: readonly string[]): Promise<string> {
    const answers = chance(0.9) ? before.at(-1) : pick(before);
    const sender = senderOf(answers);
    const isForged = chance(0.1);
    const to = some(EVERYBODY, 0.15);
    const cc = some(EVERYBODY, 0.15).map((address) => (chance(0.3) ? address.toUpperCase() : address));
    const own = token('mail');
    const isMarked = privateShare > 0 && chance(privateShare);
    const id = `<${own}@x.example>`;
    const raw = rawMail({
      sender,
      to,
      cc,
      id,
      text: `${isMarked ? 'private\r\n\r\n' : ''}everybody ${own}`,
      answers,
    });
    const read = await readMail(raw, LIMITS);
    if (!read.ok) throw new Error(read.message);
    const { mail } = read;
    const attachment = { id: token('file'), position: 0, name: 'a.txt', type: 'text/plain', bytes: 1 };
    const kept = [{ ...attachment, sha256: attachment.id, unreadable: null }];
    const references = mail.inReplyTo;
    const query = {
      duplicateKey: id,
      messageId: id,
      sender,
      proven: !isForged,
      references,
      limits: [],
      signatures: [],
      forgottenBefore: 0,
      now: clock.now,
    };
    const identity = provenAs(sender, !isForged);
    const arrival = await store.readForArrival(query);
    const facts = {
      ...mailFacts({ persona, raw, mail, admission: admissionOf(sender, isForged), identity, now: clock.now }),
      ...rowFacts({ query, arrival }),
      loopGuard: NO_GUARD,
    };
    const decision = decide(facts);
    if (decision.do !== 'run') throw new Error('not accepted');
    const rows = rowsOfRun({ ids, isOwnAddress }, facts, decision, kept);
    if (!(await store.keepArrival(rows, { query, rows: arrival }))) throw new Error('the rows changed meanwhile');
    const threadId = rows.run.thread_id;
    if (threads.has(threadId)) {
      const answered = written.find(({ token: one }) => references.some((reference) => reference.includes(one)));
      joined.push({ token: own, threadId, sender, isForged, answered });
    }
    threads.add(threadId);
    if (isMarked && !isForged) hidden.add(threadId);
    const had = isForged ? [] : [sender, ...to, ...cc.map((address) => address.toLowerCase())];
    written.push({
      token: own,
      threadId,
      by: sender,
      tier: rows.run.tier,
      had: new Set(had),
      attachment: attachment.id,
    });
    return id;
  }

  async function answer(loaded: ClaimedRun): Promise<string> {
    const { run, message } = loaded;
    const step = { lease: { runId: run.id, fence: run.fence }, events: [], now: clock.now };
    const [beside, own, trace] = [token('beside'), token('answer'), token('trace')];
    const rendered = JSON.stringify([said(`${beside} ${message.new_text}`)]);
    const context = { historyFrom: 0, prefixSha256: 'x', rendered };
    await store.commitStep({ ...step, firstSeq: 100, patch: { attempt: 0 }, context });
    // As an answer goes: to the sender, beside them to some whom the mail names, or to nobody.
    const copies = run.tier === 'unauthenticated' ? [] : some(message.cc, 0.6);
    const all = [run.sender ?? '', ...copies.map((address) => address.toLowerCase())];
    const readers = chance(0.9) ? [...new Set(all)] : [];
    const text = `everybody ${own}`;
    const rows = replyRows(
      {
        id: ids.next(),
        messageId: `<${own}@agents.localhost>`,
        raw: new Uint8Array(),
        subject: 'Re: Plan',
        inReplyTo: message.message_id,
        references: [],
        text,
        rendered: JSON.stringify([said(trace), { role: 'assistant', text, toolCalls: [] }]),
        recipients: { to: readers.slice(0, 1), cc: readers.slice(1) },
      },
      { loaded, persona, now: clock.now },
    );
    const reply = readers.length > 0 ? rows : { ...rows, mail: null };
    const patch = { status: 'done', ended_at: clock.now, leased_by: null } as const;
    await store.finishRun({ ...step, firstSeq: 200, patch, reply });
    written.push({
      token: own,
      threadId: run.thread_id,
      by: null,
      tier: null,
      had: new Set(readers),
      attachment: null,
    });
    for (const one of [beside, trace]) told.push({ token: one, to: run.sender ?? '', tier: run.tier });
    return rows.message.message_id;
  }

  async function answerAll(): Promise<readonly string[]> {
    const sent: string[] = [];
    for (;;) {
      const claim = { instance: 'one', now: clock.now, leaseMs: 1000, day: '2026-11-21', limit: 1 };
      const [loaded] = await store.claimRuns(claim);
      if (!loaded) return sent;
      sent.push(await answer(loaded));
      await ended?.(loaded, { store });
    }
  }

  for (let n = 0; n < threadCount; n += 1) {
    const before: string[] = [];
    for (let mails = between(1, 6); mails > 0; mails -= 1) {
      clock.now += 1000;
      before.push(await arrive(before));
      // Some wait until others of their thread have come.
      if (chance(0.8)) before.push(...(await answerAll()));
    }
  }
  await indexFiles(store);
  return { store, written, told, threads: [...threads], joined, hidden };
}

/** What stands in each file is the token that it goes by, so that a search for that finds the text of a file. */
async function indexFiles(store: Store): Promise<void> {
  while ((await store.indexMail(1000)) > 0);
  for (;;) {
    const waiting = await store.filesToIndex(500);
    if (waiting.length === 0) return;
    for (const { seq, files } of waiting) {
      await store.indexFiles(
        seq,
        files.map(({ sha256: id }) => `everybody ${id}`),
      );
    }
  }
}

const said = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });

function admissionOf(sender: Address, isForged: boolean) {
  if (isForged) return { verdict: 'admit', tier: 'unauthenticated' } as const;
  const tier = PEOPLE[sender];
  if (tier !== 'known') return { verdict: 'admit', tier } as const;
  return { verdict: 'unlisted', byDefault: 'allow' } as const;
}

function rawMail(mail: {
  sender: string;
  to: readonly string[];
  cc: readonly string[];
  id: string;
  text: string;
  answers: string | undefined;
}): Buffer {
  const lines = [
    `From: ${mail.sender}`,
    `To: ${[ADA, ...mail.to].join(', ')}`,
    ...(mail.cc.length > 0 ? [`Cc: ${mail.cc.join(', ')}`] : []),
    'Subject: Plan',
    `Message-ID: ${mail.id}`,
    ...(mail.answers === undefined ? [] : [`In-Reply-To: ${mail.answers}`]),
    'Date: Sat, 21 Nov 2026 12:00:00 +0000',
  ];
  return Buffer.from([...lines, '', mail.text, ''].join('\r\n'));
}
