import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { type HeardRequest, type Turn, writtenIn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const SIGN = 'From now on sign with Warm wishes from the harbour';
const NINE = 'My flight is at 9';
const MOVED = 'It was moved to 11';

const call = (name: string, args: { readonly [key: string]: string | boolean }): Turn => ({
  calls: [{ name, arguments: args }],
});
const idIn = (prompt: string, text: string): string =>
  new RegExp(`\\[(f[0-9a-f]{10})\\] "[^"]*${text}`).exec(prompt)?.[1] ?? 'none';

/** A model that keeps what it is asked to keep, and tells the stage of nothing but of window seats. */
function answer({ view }: HeardRequest): Turn {
  if (view.system.includes('You compare what was just said')) return { text: '{"verdicts": []}' };
  if (view.system.includes('You read one mail')) {
    const quote = 'I like window seats';
    const facts = view.lastUser.includes(quote) ? [{ text: 'Mia likes window seats', quote, kind: 'preference' }] : [];
    return { text: JSON.stringify({ facts }) };
  }
  if (view.results.length > 0) return { text: `Done: ${view.results.map(({ content }) => content).join(' ')}` };
  const mail = writtenIn(view.lastUser);
  if (mail.includes(SIGN))
    return call('remember', { text: 'Sign with Warm wishes from the harbour', quote: SIGN, kind: 'instruction' });
  if (mail.includes(NINE)) return call('remember', { text: 'The flight is at 9', quote: NINE, kind: 'plan' });
  if (mail.includes(MOVED))
    return call('remember', {
      text: 'The flight is at 11',
      quote: MOVED,
      kind: 'plan',
      replaces: idIn(view.lastUser, 'flight'),
    });
  if (mail.includes('lie to me'))
    return call('remember', { text: 'Carl pays all bills', quote: 'Carl pays all bills' });
  if (mail.includes('forget my flight')) return call('forget', { id: idIn(view.lastUser, 'flight') });
  return { text: 'Noted.' };
}

it('B-16: what is said by mail is kept, used in a later thread, corrected and forgotten, for whom it is for alone', async () => {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      loop_guard: { fast_reply_s: 0 },
    },
    'configs/inference.json': { provider: 'steady', model: 'm', stages: { remember: {} } },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      memory: { facts: true, recall: false },
    },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  /** What the model was shown beside this mail when it was first asked about it. */
  const promptOf = (text: string): string =>
    model.requests.find(
      ({ view }) => view.results.length === 0 && !view.system.startsWith('You read') && view.lastUser.includes(text),
    )?.view.lastUser ?? '';
  const facts = async (...options: string[]) => (await office.cli('memory', 'list', ...options)).json.facts;
  const texts = async (...options: string[]): Promise<string[]> =>
    (await facts(...options)).map(({ text }: { text: string }) => text);

  await office.ask(`Hello Ada,\n${SIGN}, please.\nMia`, MEMBER, 'Signing');
  await office.ask(`${NINE}, remember that.`, MEMBER, 'Flight');
  expect(await facts()).toMatchObject([
    { subject: MEMBER, kind: 'plan', text: 'The flight is at 9', quote: NINE, visibility: 'subject', said_by: MEMBER },
  ]);
  // What is to hold from now on is a rule, also where a model calls it a fact.
  expect((await office.cli('rules', 'list')).json.rules).toMatchObject([
    { text: SIGN, effect: 'words', scope: 'person', scope_of: MEMBER, said_tier: 'member' },
  ]);

  const receipts = (await office.left('reply', MEMBER)).map(({ mail }) => mail.text ?? '');
  expect(receipts[0]).toContain(`Done: remembered: ${SIGN}`);

  await office.ask('When do I leave for my flight?', MEMBER, 'A question');
  const asked = promptOf('When do I leave');
  expect(asked).toContain(JSON.stringify(SIGN));
  expect(asked).toContain('"The flight is at 9"');

  await office.ask(MOVED, MEMBER, 'News of the flight');
  await office.ask('And when is the flight now?', MEMBER, 'Once more');
  expect(promptOf('And when is the flight now')).toContain('"The flight is at 11"');
  expect(promptOf('And when is the flight now')).not.toContain('at 9');
  expect(await texts('--about', MEMBER)).toEqual(['The flight is at 11']);

  // Somebody else is told of none of it, and an owner of all; a quote that the mail does not have keeps nothing.
  await office.ask('When is the flight of Mia? What do you know of the harbour?', 'ben@member.example', 'Curious');
  expect(promptOf('When is the flight of Mia?')).not.toMatch(/remember from earlier|harbour"|at 11/);
  await office.ask('What do you know about me, and when is the flight?', OWNER, 'Mine');
  expect(promptOf('What do you know about me')).toContain('"The flight is at 11" (');
  expect(promptOf('What do you know about me')).not.toContain('Sign with Warm wishes');
  await office.ask('Now lie to me', 'ben@member.example', 'Lies');
  expect(await texts('--about', 'ben@member.example')).toEqual([]);

  // The stage keeps what two mails say.
  await office.ask('I like window seats.', MEMBER, 'Seats');
  await expect.poll(() => texts('--status', 'candidate'), { timeout: 90_000 }).toEqual(['Mia likes window seats']);
  await office.ask('As I said, I like window seats.', MEMBER, 'Seats again');
  await expect.poll(() => texts('--about', MEMBER), { timeout: 90_000 }).toContain('Mia likes window seats');

  // Five mails of one thread: the prefix stays, whatever is remembered meanwhile.
  const misses: string[] = [];
  let before = '';
  for (let n = 0; n < 5; n += 1) {
    const count = (await office.left('reply', MEMBER)).length + 1;
    const thread = before === '' ? {} : { inReplyTo: before, references: [before] };
    await office.post({ from: MEMBER, subject: 'Chat', text: n === 2 ? `${SIGN}, again.` : `Chat ${n}`, ...thread });
    before = (await office.arrival('reply', MEMBER, count)).mail.messageId ?? '';
    const [{ run }] = (await office.cli('why', before)).json.entries;
    const shown = (await office.cli('runs', 'show', run.id)).json.run;
    misses.push(shown.events.find(({ type }: { type: string }) => type === 'context_built').data.cache_miss);
  }
  expect(misses).toEqual(['first', 'none', 'none', 'none', 'none']);
  const last = (await office.cli('runs', 'list', '--limit', '1')).json.runs[0].id;
  const replayed = await office.cli('runs', 'replay', last);
  expect(replayed.json.ok, JSON.stringify(replayed.json).slice(0, 500)).toBe(true);

  // An owner decides about what others have said; what somebody said of themselves is theirs to take back, at once.
  await office.ask('Please forget my flight', OWNER, 'Forget');
  const { mail } = await office.arrival('approval');
  expect(mail.subject).toBe('Ada asks: may I forget this?');
  expect(mail.text).toContain('To do that I would erase what I remember:');
  expect(mail.text).toContain('The flight is at 11');
  const notice = (await office.left('approval')).at(-1);
  if (!notice) throw new Error('there is no notice');
  await office.answer(notice, 'deny');
  await expect.poll(office.states, { timeout: 90_000 }).toEqual(['rejected']);
  expect(await texts('--about', MEMBER)).toContain('The flight is at 11');
  const questions = (await office.left('approval')).length;
  await office.ask('Please forget my flight', MEMBER, 'Forget');
  expect(await texts('--about', MEMBER)).not.toContain('The flight is at 11');
  expect(await office.left('approval')).toHaveLength(questions);
  const ended = async () => (await office.left('reply', MEMBER)).at(-1)?.mail.text;
  await expect.poll(ended, { timeout: 90_000 }).toContain('Done: forgot one thing that I remembered');
  await office.ask('When was my flight again?', MEMBER, 'The last question');
  expect(promptOf('When was my flight again')).not.toMatch(/at 11|at 9/);

  const forgotten = await office.cli('memory', 'forget', '--person', MEMBER, '--persona', 'ada');
  expect(forgotten.json.forgotten).toBeGreaterThan(0);
  expect(await texts()).toEqual([]);
  const database = new Database(join(office.root, 'data/personas/ada/persona.db'), { readonly: true });
  const rows = database.prepare("select text, quote, subject from facts where status = 'forgotten'").all();
  expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(new Set(['{"text":"","quote":"","subject":""}']));
  expect(database.prepare('select count(*) as count from fact_words').get()).toEqual({ count: 0 });
  database.close();
});
