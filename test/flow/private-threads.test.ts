import { afterAll, beforeAll, expect, it } from 'vitest';
import { epistle, type Gateway, startGateway, submit } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
let workspace: TestWorkspace;
let gateway: Gateway;
beforeAll(async () => {
  workspace = makeWorkspace();
  gateway = await startGateway(workspace.root);
});
afterAll(async () => {
  await gateway.end();
  workspace.remove();
});

/** The run of a mail, when it has ended. */
async function write(id: string, text: string, answers?: string) {
  const raw = [
    ...[`From: ${OWNER}`, 'To: ada@agents.localhost', `Subject: ${answers ?? id}`, `Message-ID: <${id}@example.com>`],
    ...(answers === undefined ? [] : [`In-Reply-To: <${answers}@example.com>`, `References: <${answers}@example.com>`]),
    ...['', text, ''],
  ].join('\r\n');
  await submit(workspace.root, gateway.ready, { from: OWNER, to: 'ada@agents.localhost', raw });
  const runOf = async () => (await epistle(workspace.root, ['why', `<${id}@example.com>`])).json?.entries?.[0]?.run;
  await expect.poll(runOf, { timeout: 90_000 }).toMatchObject({ status: 'done' });
  return (await runOf()) as { id: string; thread_id: string };
}

let looks = 0;

/** Message-IDs that a search from a thread of its own finds. */
async function found(word: string): Promise<string[]> {
  looks += 1;
  const { id } = await write(`look${looks}`, `/search_mail {"query":"${word}","direction":"in"}`);
  const { run } = (await epistle(workspace.root, ['runs', 'show', id])).json;
  const text = JSON.stringify(run.events.filter(({ type }: { type: string }) => type === 'observation'));
  // What was looked for stands in each of those mails, too.
  return [...new Set(text.match(/<(?!look)[\w-]+@example\.com>/g) ?? [])].toSorted();
}

const threadOf = async (mail: string) => {
  const entry = (await epistle(workspace.root, ['why', `<${mail}@example.com>`])).json.entries[0];
  return entry.thread_id as string;
};

it('B-19: nothing of a private thread is found elsewhere, what was found before neither, until its owner takes that back', async () => {
  await write('open', 'The heron nests in the reeds.');
  expect(await found('heron')).toEqual(['<open@example.com>']);

  await write('secret', 'Private.\n\nThe bittern nests there, too, and so does a heron.');
  expect(await found('bittern')).toEqual([]);
  expect(await found('heron')).toEqual(['<open@example.com>']);

  await write('later', 'private\n\nForget where they nest.', 'open');
  expect(await found('heron')).toEqual([]);
  expect(await found('reeds')).toEqual([]);

  const thread = await threadOf('open');
  const listed = (await epistle(workspace.root, ['threads', 'show', thread])).json.thread;
  expect(listed).toMatchObject({ private: true, message_count: 4 });
  const off = await epistle(workspace.root, ['threads', 'private', thread, '--off']);
  expect(off.json.thread).toMatchObject({ id: thread, private: false });
  expect(await found('reeds')).toEqual(['<open@example.com>']);
  const on = await epistle(workspace.root, ['threads', 'private', thread]);
  expect(on.json.thread.private).toBe(true);
  expect(await found('reeds')).toEqual([]);
});

it('tells the model of it in the thread alone', async () => {
  const { id } = await write('quiet', 'private\n\nMy sister is ill.');
  const { prompt } = (await epistle(workspace.root, ['runs', 'show', id, '--prompt'])).json;
  expect(JSON.stringify(prompt)).toContain('This thread is private');
  const other = await write('plain', 'Hello.');
  const shown = (await epistle(workspace.root, ['runs', 'show', other.id, '--prompt'])).json;
  expect(JSON.stringify(shown.prompt)).not.toContain('This thread is private');
});
