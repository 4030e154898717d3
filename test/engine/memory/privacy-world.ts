import { setPrivateBy } from '../../../engine/actions/mail/private-thread.ts';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { systemSchema } from '../../../engine/config/schemas.ts';
import { PARTS } from '../../../engine/features/features.ts';
import { readHistory } from '../../../engine/harness/context/as-built.ts';
import type { GatherPart, GatherRun } from '../../../engine/harness/context/parts.ts';
import { randomIds } from '../../../engine/lib/ids.ts';
import { composeActive } from '../../../engine/memory/active/compose.ts';
import { closingFor } from '../../../engine/memory/threads/close-job.ts';
import { closingsToShow } from '../../../engine/memory/threads/closing-shown.ts';
import { summariseThread } from '../../../engine/memory/threads/summarise-job.ts';
import { threadMemoryOf } from '../../../engine/memory/threads/summary-shown.ts';
import { askerOf, viewerOf } from '../../../engine/policy/viewer.ts';
import { rememberJob } from '../../../engine/record/jobs/job-kinds.ts';
import type { LoadedRun } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { FACT_KINDS } from '../../../engine/storage/types/facts.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import { createMailFinder } from '../../../engine/tools/capabilities/mail.ts';
import { createMemory } from '../../../engine/tools/capabilities/memory.ts';
import { seededRandom } from '../../../scripts/lib/soak/random.ts';
import { EVERYBODY, makeWorld, PEOPLE, type World, type Written } from '../harness/context/sight-world.ts';
import { rememberRig } from './facts/remember-rig.ts';

// Mail, facts and knowledge of random people over the real rows, and the ways by which words of it reach a prompt. Who may
// be told what is said here a second time, from what happened, without a look at any row.

/** A fact as the world itself knows it: who said it where, of whom, and for whom. */
interface Told {
  readonly token: string;
  readonly threadId: string;
  readonly author: string;
  readonly tier: Tier;
  readonly subject: string;
  readonly everyone: boolean;
}

export interface MemoryWorld extends World {
  readonly facts: readonly Told[];
  /** Threads that were private at any time: what was learned in them is gone for good. */
  readonly everHidden: ReadonlySet<string>;
  readonly now: number;
}

const TOKENS = /(?:(?:mail|answer|know)\d{6}|fact[a-j]{6})x/g;
/** In letters: no fact is kept that has a number which its mail does not say. */
const lettered = (number: number): string =>
  String(number)
    .padStart(6, '0')
    .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
export const tokensIn = (text: string): readonly string[] => [...new Set(text.match(TOKENS) ?? [])];

/** Who writes, and who gets the answer as well. */
export const VIEWERS: readonly (readonly [string, Tier, readonly string[]])[] = [
  ...EVERYBODY.map((address) => [address, PEOPLE[address], []] as const),
  ['boss@owner.example', 'unauthenticated', []],
  ['mia@member.example', 'unauthenticated', []],
  ['mia@member.example', 'member', ['max@member.example']],
  ['boss@owner.example', 'owner', ['kim@vendor.example', 'mia@member.example']],
];

export async function makeMemoryWorld(seed: number, threadCount: number): Promise<MemoryWorld> {
  const { next, chance } = seededRandom(seed + 1);
  const pick = <One>(from: readonly One[]): One => from[Math.floor(next() * from.length)] as One;
  const facts: Told[] = [];
  const minted = (said: Omit<Told, 'token'>): Told => {
    const again = facts.find(
      (one) => chance(0.6) && one.threadId === said.threadId && one.author === said.author && one.tier === said.tier,
    );
    const told = again ?? { ...said, token: `fact${lettered(facts.length)}x` };
    if (!again) facts.push(told);
    return told;
  };
  const quoteOf = (text: string) => /everybody \w+/.exec(text)?.[0] ?? 'nothing';
  const made: { rig?: ReturnType<typeof rememberRig>; run?: LoadedRun['run'] } = {};
  const subjectOf = () => pick(['author', 'author', 'persona', ...EVERYBODY]);

  /** A model that finds something in each mail, about anybody. */
  const propose = (text: string): string => {
    const { run } = made;
    const author = run?.sender ?? '';
    const subject = subjectOf();
    const said = { threadId: run?.thread_id ?? '', author, tier: run?.tier ?? 'stranger', subject, everyone: false };
    const { token, subject: about } = minted(said);
    const fact = { text: `${token} holds`, quote: quoteOf(text), kind: pick(FACT_KINDS), subject: about };
    return JSON.stringify({ facts: [fact] });
  };

  async function learn({ run, message }: LoadedRun, store: Store): Promise<void> {
    made.rig ??= rememberRig(store, ({ purpose, text }) =>
      purpose === 'compare' ? VERDICTS(text, pick) : propose(text),
    );
    const { rig } = made;
    made.run = run;
    if (chance(0.7)) {
      await store.addJobs([rememberJob(run.id, rig.state.now)]);
      await rig.work();
    }
    if (chance(0.6)) await ask(run, message.new_text, store);
  }

  /** The tool that keeps what somebody asks for. */
  async function ask(run: LoadedRun['run'], text: string, store: Store): Promise<void> {
    const everyone = chance(0.3);
    const said = { threadId: run.thread_id, author: run.sender ?? '', tier: run.tier, subject: 'author', everyone };
    const { token, subject, everyone: isForAll } = minted(said);
    if (subject !== 'author') return;
    const memory = createMemory({
      store,
      run,
      isTainted: () => false,
      // What is to hold from now on is no fact.
      rules: { asks: async () => false, keep: () => Promise.reject(new Error('no rule')) },
      stage: (change) => staged.push(change),
      ids: { next: () => `x${facts.length}`, random: () => String(next()).slice(2, 12) },
      clock: { now: () => made.rig?.state.now ?? 0, sleep: async () => {} },
      signal: new AbortController().signal,
    });
    const staged: Parameters<typeof store.changeFacts>[0][number][] = [];
    const wanted = { text: `${token} holds`, quote: quoteOf(text), kind: pick(FACT_KINDS), everyone: isForAll };
    // What it refuses is not kept, which is what is looked at.
    await memory.remember({ ...wanted, replaces: null }).catch(() => null);
    if (staged.length > 0) await store.changeFacts(staged);
  }

  const world = await makeWorld(seed, threadCount, {
    privateShare: 0.08,
    ended: (loaded, { store }) => learn(loaded, store),
  });
  const { store, threads } = world;
  const hidden = new Set(world.hidden);
  const everHidden = new Set(world.hidden);
  const now = made.rig?.state.now ?? 0;
  const clock = { now: () => now, sleep: async () => {} };
  const ids = randomIds(clock.now);
  for (const id of threads) if (chance(0.8)) await summarise(store, id, now);
  for (const id of threads) if (chance(0.8)) await close(store, id, now);
  for (const id of threads) {
    if (chance(0.1)) {
      await setPrivateBy({ store, clock, ids, closeAfterDays: 14 }, { id, off: false }, 'cli');
      hidden.add(id);
      everHidden.add(id);
    }
    if (hidden.has(id) && chance(0.2)) {
      await setPrivateBy({ store, clock, ids, closeAfterDays: 14 }, { id, off: true }, 'cli');
      hidden.delete(id);
    }
  }
  const file = { path: 'a.md', bytes: 1, changed_at: 1, sha256: 'a', characters: 20, unreadable: null, indexed_at: 1 };
  await store.keepKnowledge({ ...file, rewritten_at: null }, [{ title: '', text: 'everybody know000000x' }]);
  if (chance(0.5)) await store.indexMail(1000);
  return { ...world, hidden, everHidden, facts, now };
}

/** A model that copies every mail into its notes, some mails at a time. */
async function summarise(store: Store, threadId: string, now: number): Promise<void> {
  const [row] = await store.threadMessages(threadId, 1);
  for (let before = 1; before <= (row?.seq ?? 0) + 1; before += 2) {
    const call = async ({ text }: { readonly text: string }) => {
      const sections = { objective: '', decisions: [], open_loops: [], constraints: [], next: [] };
      const copied = JSON.stringify({ ...sections, key_facts: [tokensIn(text).join(' ').slice(0, 1000)] });
      return { text: copied, toolCalls: [], code: null, calls: [] };
    };
    const { memory } = await summariseThread(store, call, { threadId, before, now });
    await store.addJobs([{ id: 'summarise', kind: 'summarise', due_at: now, payload: '{}' }]);
    const kept = { jobId: 'summarise', runId: row?.run_id ?? '', event: ownEvent('memory_written', {}), jobs: [] };
    await store.keepThreadMemory({ ...kept, memory, now });
  }
}

/** A model that copies every mail into the card of the thread. */
async function close(store: Store, threadId: string, now: number): Promise<void> {
  const [row] = await store.threadMessages(threadId, 1);
  const thread = await store.getThread(threadId);
  if (!row || !thread) return;
  const call = async ({ text }: { readonly text: string }) => {
    const labels = ['everybody', 'card', 'third', 'fourth', 'fifth'];
    const summary = `card ${tokensIn(text).join(' ')}`.slice(0, 1000);
    const copied = JSON.stringify({ summary, tags: labels, keywords: labels });
    return { text: copied, toolCalls: [], code: null, calls: [] };
  };
  const { closing } = await closingFor(store, call, thread, { now, assistant: 'Ada' });
  await store.addJobs([{ id: 'close', kind: 'close_thread', due_at: now, payload: '{}' }]);
  await store.keepClosing({ jobId: 'close', runId: row.run_id ?? '', event: null, closing, jobs: [], now });
}

/** Any verdict, on any of the rows that it was shown. */
function VERDICTS(text: string, pick: <One>(from: readonly One[]) => One): string {
  const asked: readonly { claim: number; known: readonly { id: string }[] }[] = JSON.parse(text);
  const verdicts = asked.map(({ claim, known }) => ({
    claim,
    relation: pick(['new', 'update', 'duplicate', 'dispute']),
    of: pick([null, ...known.map(({ id }) => id)]),
  }));
  return JSON.stringify({ verdicts });
}

/** Somebody's mail in a thread, of which a run is about to begin. */
export interface Look {
  readonly world: MemoryWorld;
  readonly run: LoadedRun['run'];
  readonly loaded: LoadedRun;
}

export async function lookFrom(
  world: MemoryWorld,
  threadId: string,
  [sender, tier, readers]: (typeof VIEWERS)[number],
) {
  const [row] = await world.store.threadMessages(threadId, 1);
  const loaded = await world.store.loadRun(row?.run_id ?? '');
  if (!loaded) throw new Error('no run');
  // Of other threads, since those of its own are shown anyway; facts are found by their author's mail as well.
  const others = world.written.filter((one) => one.threadId !== threadId && one.had.size > 0);
  const asked = [others.at(-1), others[0], world.facts.at(-1)].map((one) => one?.token ?? '');
  const text = `everybody holds ${asked.join(' ')}`;
  const message = { ...loaded.message, new_text: text, text, seq: Number.MAX_SAFE_INTEGER - 1 };
  const run = { ...loaded.run, sender, tier, readers };
  return { world, run, loaded: { ...loaded, run, message: { ...message, received_at: world.now } } };
}

const PERSONA = personaSchema.parse({
  name: 'Ada',
  address: 'ada@agents.localhost',
  memory: { recall: true, facts: true },
});
const SWITCHED = { system: systemSchema.parse({}) };
const began = { at: 0, now: () => 0 };

/** What a part of the gathering puts into the prompt, with nothing asked of a model before. */
async function placedBy(part: GatherPart, { world, loaded }: Look): Promise<string> {
  const run = { loaded, persona: PERSONA, configs: SWITCHED, store: world.store, now: began.now, offered: [] };
  const found = await part.forRun(run as unknown as GatherRun)?.gather?.(began, Promise.resolve(null));
  if (found?.span?.error) throw new Error(found.span.error);
  return found?.placed?.text ?? '';
}

/** Each way by which words reach a run: what of it it is shown. */
export const WAYS: Readonly<Record<string, (look: Look) => Promise<string>>> = {
  async history({ world, loaded }) {
    const all = { budgetTokens: 1e9, messageCount: 0, from: 0 };
    return JSON.stringify((await readHistory({ loaded, store: world.store, ...all })).messages);
  },
  recall: (look) => placedBy(PARTS.recall, look),
  facts: (look) => placedBy(PARTS.facts, look),
  async search({ world, run }) {
    const find = createMailFinder({ store: world.store, viewer: viewerOf(run), current: null, timezone: 'UTC' });
    const byWord = await find({ query: 'everybody', limit: 20 });
    const ofThread = await find({ thread: run.thread_id, limit: 20 });
    return JSON.stringify([byWord, ofThread].map(({ messages }) => messages.map(({ snippet }) => snippet)));
  },
  async summary({ world, run }) {
    const memory = threadMemoryOf(world.store, { threadId: run.thread_id, viewer: viewerOf(run) });
    return (await memory.text()) ?? '';
  },
  async closed({ world, run }) {
    const words = ['everybody', 'card'];
    const asked = { words, viewer: viewerOf(run), asker: askerOf(run), exceptThread: run.thread_id };
    return JSON.stringify((await closingsToShow(world.store, asked)).map(({ text }) => text));
  },
  async active({ world }) {
    return composeActive(null, await world.store.factsForEverybody(world.now)).text ?? '';
  },
  async knowledge({ world }) {
    return JSON.stringify(await world.store.findKnowledge({ query: 'everybody', limit: 20 }));
  },
};

const ofMail = (who: string, tier: Tier, { had }: Written) =>
  tier === 'owner' || (tier !== 'unauthenticated' && had.has(who));

const ofFact = (who: string, tier: Tier, { author, tier: said, subject, everyone }: Told): boolean => {
  if (said !== 'owner' && said !== 'member') return false;
  if (tier === 'owner' || (everyone && said === 'owner')) return true;
  const isOwn = subject === 'author' || subject === author;
  return tier !== 'unauthenticated' && said === 'member' && isOwn && author === who;
};

/** Why a token should not have been shown this way; null where it may be. */
export function wrongIn(way: string, look: Look, token: string): string | null {
  if (token.startsWith('know')) return way === 'knowledge' ? null : 'knowledge is no mail';
  const fact = look.world.facts.find((one) => one.token === token);
  if (fact && way === 'active') return wrongForAll(look, fact);
  if (fact) return way === 'facts' ? wrongFact(look, fact) : 'a fact is no mail';
  const mail = look.world.written.find((one) => one.token === token);
  if (!mail || way === 'facts' || way === 'active' || way === 'knowledge') return 'nobody knows where it is from';
  return wrongMail(way, look, mail);
}

function wrongFact({ world, run }: Look, fact: Told): string | null {
  if (world.everHidden.has(fact.threadId)) return 'it was said in a private thread';
  return ofFact(run.sender ?? '', run.tier, fact) ? null : `it was said by ${fact.author} of ${fact.subject}`;
}

const wrongForAll = ({ world }: Look, { threadId, everyone, tier }: Told): string | null =>
  everyone && tier === 'owner' && !world.everHidden.has(threadId) ? null : 'no owner said it for everybody';

function wrongMail(way: string, { world, run }: Look, mail: Written): string | null {
  const isOfThread = mail.threadId === run.thread_id;
  if (!ofMail(run.sender ?? '', run.tier, mail)) return 'they neither sent it nor were sent it';
  if (!run.readers?.every((reader) => mail.had.has(reader))) return 'who gets the answer was not sent it';
  if (way === 'summary') return isOfThread && !world.everHidden.has(mail.threadId) ? null : 'its thread was private';
  if (way === 'closed' && world.everHidden.has(mail.threadId)) return 'its thread was private';
  if (way === 'history') return isOfThread ? null : 'it is of another thread';
  if (world.hidden.has(mail.threadId)) return 'its thread is private';
  if (run.tier === 'known' && !isOfThread) return 'they are known in their own thread alone';
  return ['recall', 'closed'].includes(way) && isOfThread ? 'it is shown anyway' : null;
}

/** What was learned in threads that were private at any time, and stands in the rows nevertheless. */
export async function leftOfHidden({ store, facts, everHidden, now }: MemoryWorld): Promise<readonly string[]> {
  for (const id of everHidden) if ((await store.closingOf(id)) ?? (await store.threadMemory(id, null))) return [id];
  const kept = new Set(tokensIn(JSON.stringify(await store.listFacts({ limit: 1000, now, all: true }))));
  return facts.flatMap(({ token, threadId }) => (kept.has(token) && everHidden.has(threadId) ? [token] : []));
}
