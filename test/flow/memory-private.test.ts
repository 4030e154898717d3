import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type HeardRequest, type Turn, writtenIn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { launchGateway, submit } from './gateway.ts';
import { ADA, MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

/** Words of the model alone: no mail has them. */
const FACT = 'zqafact of the harbour';
const EVERYBODY = 'zqbeverybody is told';
const NOTES = 'zqcnotes of the thread';
const SAYS = 'The harbour is closed';

/** A model that keeps what mails say in words of its own. */
function answer({ view }: HeardRequest): Turn {
  if (view.system.startsWith('You keep notes')) {
    const sections = { key_facts: [], decisions: [], open_loops: [], constraints: [], next: [] };
    return { text: JSON.stringify({ objective: NOTES, ...sections }) };
  }
  if (view.results.length > 0) return { text: 'Noted.' };
  const mail = writtenIn(view.lastUser);
  if (!mail.includes(SAYS)) return { text: 'Noted.' };
  const isForAll = mail.includes('Tell everybody');
  const kept = { text: isForAll ? EVERYBODY : FACT, quote: SAYS, kind: 'preference', everyone: isForAll };
  return { calls: [{ name: 'remember', arguments: kept }] };
}

const LONG = 'This is about nothing in particular. '.repeat(200);

it('P-28, B-19: `private` by mail takes facts, summaries and active.md along, which is built again where the process was killed', async () => {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0 },
    },
    'configs/system.json': {
      console: { enabled: false },
      log: { level: 'warn', format: 'json' },
      memory: { summarise_after: 2 },
    },
    'configs/inference.json': { provider: 'small', model: 'm', stages: { summarise: {} } },
    'extensions/extensions.json': { providers: [{ name: 'small', config: { base_url: model.baseUrl } }] },
    'extensions/providers/small/manifest.json': {
      name: 'small',
      kind: 'provider',
      api: 1,
      summary: 'Answers',
      adapter: 'openai-compatible',
      models: { m: { context_tokens: 16_000, max_output_tokens: 1000, tools: true } },
    },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      access: { allow: ['*@member.example'] },
      memory: { facts: true },
    },
  });
  open.closing.push(() => office.close());
  const recorded = (look: () => unknown) => onceRecorded(office.root, look);
  const folder = join(office.root, 'data/personas/ada');
  const filesWith = (text: string): readonly string[] =>
    readdirSync(folder).filter((name) => /^(?:persona\.db|active\.md)/.test(name) && bytesOf(name).includes(text));
  const bytesOf = (name: string) => readFileSync(join(folder, name));
  const active = () => (existsSync(join(folder, 'active.md')) ? bytesOf('active.md').toString() : '');
  const promptOf = (text: string): string =>
    model.requests.findLast(
      ({ view }) => view.results.length === 0 && !view.system.startsWith('You keep') && view.lastUser.includes(text),
    )?.view.lastUser ?? '';

  // An owner wants something told to everybody; the process dies before the file that tells it is written.
  await office.stop();
  const dying = launchGateway(office.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: 'active.begun' });
  const { ready } = await dying.ready;
  const thread = '<thread-0@owner.example>';
  const raw = (n: number, text: string) =>
    Buffer.from(
      [
        ...[`From: ${OWNER}`, `To: ${ADA}`, `Subject: ${n === 0 ? '' : 'Re: '}Harbour`],
        ...[`Message-ID: <thread-${n}@owner.example>`, ...(n === 0 ? [] : [`In-Reply-To: ${thread}`])],
        ...['', text, ''],
      ].join('\r\n'),
    );
  await submit(office.root, ready, { from: OWNER, to: ADA, raw: raw(0, `${SAYS}. Tell everybody. ${LONG}`) });
  await dying.death();
  expect(active()).toBe('');
  const written = launchGateway(office.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: 'active.written' });
  await written.death();
  await office.restart();
  await recorded(() => expect(active()).toContain(EVERYBODY));
  await office.ask('Anything that I should know of the harbour?', MEMBER, 'A question');
  expect(promptOf('Anything that I should').split(EVERYBODY)).toHaveLength(2);

  const write = async (n: number, text: string) => {
    await office.post({
      from: OWNER,
      subject: 'Re: Harbour',
      text,
      messageId: `<thread-${n}@owner.example>`,
      inReplyTo: thread,
      references: [thread],
    });
    const run = async () => (await office.cli('why', `<thread-${n}@owner.example>`)).json?.entries?.[0]?.run;
    await recorded(async () => expect(await run()).toMatchObject({ status: 'done' }));
  };
  await write(1, `${SAYS}, for me. ${LONG}`);
  for (let n = 2; n < 6; n += 1) await write(n, `More of it. ${LONG}`);
  await recorded(() => expect(filesWith(NOTES)).not.toEqual([]));
  for (const word of [FACT, EVERYBODY]) expect(filesWith(word), word).not.toEqual([]);
  const listed = (await office.cli('memory', 'list')).json;
  expect([listed.facts.length, listed.summaries.length]).toEqual([2, 1]);
  // What an owner asks for is told with ids, each once.
  await office.ask('What do you know about the harbour and about me?', OWNER, 'Mine');
  const known = promptOf('What do you know about the harbour');
  for (const word of [FACT, EVERYBODY]) expect(known.split(word), word).toHaveLength(2);

  await write(6, 'private\n\nKeep all of this to yourself.');
  await recorded(() => expect(active()).not.toContain(EVERYBODY));
  const left = (await office.cli('memory', 'list')).json;
  expect([left.facts, left.summaries]).toEqual([[], []]);
  await office.ask('What do you know about the harbour now?', OWNER, 'Mine again');
  expect(promptOf('What do you know about the harbour now')).not.toMatch(/zqafact|zqbeverybody|zqcnotes/);
  await office.stop();
  expect(filesWith(NOTES)).toEqual([]);
});
