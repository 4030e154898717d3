import { expect } from 'vitest';
import type { Store } from '../../engine/storage/ports/store.ts';
import { factWords } from '../../engine/storage/search/fact-words.ts';
import type { Fact, FactReader } from '../../engine/storage/types/facts.ts';
import { arrival, arrive, MIA, message, NOON } from './world.ts';

const DAY_MS = 86_400_000;
const OWNER = 'you@example.com';
const PEOPLE = ['ann@x.example', 'ben@x.example', 'cy@x.example', OWNER];

export const factRow = (id: string, change: Partial<Fact> = {}): Fact => ({
  id,
  subject: MIA,
  kind: 'plan',
  text: `the text of ${id}`,
  quote: `the quote of ${id}`,
  source_message: null,
  source_message_id: null,
  source_tier: 'member',
  thread_id: null,
  said_by: MIA,
  valid_from: NOON,
  valid_to: null,
  recorded_at: NOON,
  refreshed_at: NOON,
  fresh_ms: null,
  expires_at: null,
  superseded_by: null,
  disputes: null,
  visibility: 'subject',
  status: 'kept',
  hash: id,
  phrase: id,
  ...change,
});

interface Mail {
  readonly id: string;
  readonly thread: string;
  readonly viewers: readonly string[];
}

interface World {
  readonly threads: readonly string[];
  readonly mails: readonly Mail[];
  readonly facts: readonly Fact[];
  /** The one that was forgotten in the end. */
  readonly gone: string | null;
}

/** One random world: whatever a reader is shown is just what they may see, as told without SQL. Closes the store. */
export async function lookAtWorld(store: Store, seed: number): Promise<void> {
  try {
    const world = await makeWorld(store, seed);
    for (const address of [...PEOPLE, '', 'eve@evil.example']) {
      for (const threadId of [...world.threads, null]) {
        const reader = { address, isOwner: address === OWNER, threadId };
        await lookAs(store, world, reader, `seed ${seed}, "${address}", ${threadId}`);
      }
    }
  } finally {
    await store.close();
  }
}

async function lookAs(store: Store, world: World, reader: FactReader, where: string): Promise<void> {
  const allowed = world.facts.filter((fact) => isInForce(world, fact) && maySee(world, reader, fact));
  const shown = await store.factsFor(reader, { words: factWords('window seat'), now: NOON, limit: 50 });
  expect(idsOf(shown), where).toEqual(idsOf(allowed));
}

const idsOf = (facts: readonly Fact[]): readonly string[] => facts.map(({ id }) => id).sort();

function maySee(
  { mails }: World,
  reader: FactReader,
  { visibility, subject, thread_id, source_message }: Fact,
): boolean {
  if (reader.isOwner || visibility === 'persona') return true;
  if (reader.address === '' || visibility === 'owner') return false;
  if (visibility === 'subject') return subject === reader.address;
  const mail = mails.find(({ id }) => id === source_message);
  return thread_id === reader.threadId && mail?.viewers.includes(reader.address) === true;
}

const isInForce = (world: World, fact: Fact): boolean =>
  fact.status === 'kept' && fact.superseded_by === null && !isGone(world, fact) && (fact.expires_at ?? NOON + 1) > NOON;

const isGone = (world: World, fact: Fact): boolean =>
  fact.id === world.gone || world.facts.some((later) => later.id === fact.superseded_by && isGone(world, later));

async function makeWorld(store: Store, seed: number): Promise<World> {
  const random = generator(seed);
  const pick = <One>(all: readonly [One, ...One[]]): One => all[Math.floor(random() * all.length)] ?? all[0];
  const threads = [`s${seed}-1`, `s${seed}-2`];
  const mails: Mail[] = [];
  for (const id of threads.flatMap((thread) => [`${thread}-0`, `${thread}-1`])) {
    const thread = id.slice(0, -2);
    const mail = { id, thread, viewers: PEOPLE.filter(() => random() < 0.5) };
    mails.push(mail);
    const newThread = { id: thread, kind: 'thread' as const, subject: '' };
    const arriving = { message: message(id, thread), viewers: mail.viewers };
    await arrive(store, arrival(id), id.endsWith('0') ? { newThread, ...arriving } : arriving);
  }
  const facts: Fact[] = [];
  for (let n = 0; n < 12; n += 1) {
    const mail = mails[Math.floor(random() * mails.length)];
    const status = pick<Fact['status']>(['kept', 'kept', 'kept', 'candidate', 'disputed']);
    const fact = factRow(`f${n}`, {
      subject: pick(['persona', ...PEOPLE]),
      said_by: pick(['x', ...PEOPLE]),
      text: `seat ${n}`,
      quote: 'window seat',
      visibility: pick(['subject', 'thread', 'persona', 'owner']),
      status,
      source_message: mail?.id ?? null,
      thread_id: mail?.thread ?? null,
      kind: pick(['plan', 'preference']),
      expires_at: status === 'candidate' ? NOON + DAY_MS : pick([null, NOON - 1, NOON + DAY_MS]),
    });
    const earlier = random() < 0.2 ? facts.find(({ superseded_by: by }) => by === null) : undefined;
    await store.changeFacts([{ change: 'add', fact, replaces: earlier?.id ?? null }]);
    if (earlier) facts[facts.indexOf(earlier)] = { ...earlier, superseded_by: fact.id };
    facts.push(fact);
  }
  const gone = random() < 0.3 ? (facts[Math.floor(random() * facts.length)]?.id ?? null) : null;
  if (gone !== null) await store.forgetFacts([gone]);
  return { threads, mails, facts, gone };
}

/** Mulberry32: the same seed makes the same world. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
