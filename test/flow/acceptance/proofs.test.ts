import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { doing, type Modelled, openModelled } from './office-with-model.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const hook = (body: string) => ({
  'extensions/hooks/diary/manifest.json': {
    name: 'diary',
    kind: 'hook',
    api: 1,
    summary: 'Writes down which runs ended',
    entry: 'index.mjs',
  },
  'extensions/hooks/diary/index.mjs': `
    import { defineHook } from 'epistle/contract';
    export default defineHook({ on: ['run_ended'], handle: () => { ${body} } });`,
});

/** As the rig has written it: with the address of the model. */
const configuredIn = ({ office }: Modelled): object =>
  JSON.parse(readFileSync(join(office.root, 'extensions/extensions.json'), 'utf8'));

/** What doctor says of a part: true where a record proves it. */
async function isProven(made: Modelled, name: string): Promise<boolean> {
  const { checks } = (await made.office.cli('doctor', '--harness')).json;
  const check = checks.find((each: { name: string }) => each.name === `harness:${name}`);
  return /^last by run /.test(check.message);
}

async function ada(says: Parameters<typeof openModelled>[0], files: Parameters<typeof openModelled>[1] = {}) {
  open.made = await openModelled(says, files);
  return open.made;
}

describe('doctor --harness', () => {
  it('takes a hook that throws each time for one that never ran, and one that ended for one that did', async () => {
    const made = await ada(() => ({ text: 'Thank you for your mail.' }), {});
    const configured = configuredIn(made);
    const install = async (body: string) => {
      for (const [path, content] of Object.entries(hook(body))) made.office.workspace.write(path, content);
      made.office.workspace.write('extensions/extensions.json', { ...configured, hooks: ['diary'] });
      await made.office.restart();
    };
    await install("throw new Error('the pen is dry');");
    await made.office.ask('hello');
    expect(await isProven(made, 'hooks')).toBe(false);
    await install('');
    await made.office.ask('hello again');
    await vi.waitFor(async () => expect(await isProven(made, 'hooks')).toBe(true), 90_000);
  });

  it('takes a provider that refuses a request for none that rests, and one that limits its use for one', async () => {
    const answers = { status: 400 };
    const made = await ada(
      () => (answers.status === 200 ? { text: 'Hello.' } : { status: answers.status, retryAfter: 1 }),
      {
        'configs/inference.json': { provider: 'steady', model: 'm' },
      },
    );
    await made.office.ask('hello');
    expect(await isProven(made, 'cooldown')).toBe(false);
    answers.status = 429;
    const again = made.office.ask('hello again');
    await vi.waitFor(async () => expect(await isProven(made, 'cooldown')).toBe(true), 40_000);
    answers.status = 200;
    await again;
  });

  it('takes only results that were shown shorter for a compaction', async () => {
    const large = 'word '.repeat(3000);
    const made = await ada((turn) =>
      turn < 2 ? { calls: [{ name: 'read_file', arguments: { path: 'large.txt' } }] } : { text: 'Read.' },
    );
    made.put('large.txt', large);
    made.put('small.txt', 'small');
    await made.office.ask('hello');
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    const started = recordOf(made, run).events.filter(({ type }) => type === 'model_call_started');
    expect(started.map(({ data }) => data.fitted ?? 0)).toEqual([0, 0, 1]);
    expect(await isProven(made, 'compaction')).toBe(true);
    expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });
});

const resolver = (name: string, body: string) => ({
  [`extensions/resolvers/${name}/manifest.json`]: { name, kind: 'resolver', api: 1, summary: name, entry: 'index.mjs' },
  [`extensions/resolvers/${name}/index.mjs`]: `export default { resolve: () => { ${body} } };`,
});

describe('a part of the context that fails', () => {
  it.each([
    ['throws', "throw new Error('the shelf fell down')", 'the shelf fell down'],
    ['hangs', 'return new Promise(() => {})', 'shelf took longer than 10000 ms'],
  ])('is a limitation that the model is told of, and the mail is answered: one that %s', async (_how, body, why) => {
    const made = await ada(() => ({ text: 'Thank you for your mail.' }), {
      ...resolver('shelf', body),
      'configs/context.json': { profiles: { thread: ['shelf', 'current-input'] } },
    });
    const configured = configuredIn(made);
    made.office.workspace.write('extensions/extensions.json', { ...configured, resolvers: ['shelf'] });
    await made.office.restart();
    await made.office.ask('hello');
    await made.office.arrival('reply', MEMBER);
    expect(made.model.requests[0]?.view.lastUser).toContain('The context part "shelf" could not be loaded.');
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    const built = recordOf(made, run).events.find(({ type }) => type === 'context_built')?.data;
    expect(built.limitations).toEqual(['The context part "shelf" could not be loaded.']);
    expect(built.parts.find((part: { resolver: string }) => part.resolver === 'shelf').error).toContain(why);
  });
});

it('an edit takes the other open item along: one "approve all" to the new mail decides both', async () => {
  const write = (subject: string) => ({
    name: 'send_email',
    arguments: { to: [`${subject}@elsewhere.example`], subject, body: 'Dear Carl' },
  });
  const made = await ada(doing(write('one'), write('two')));
  await made.office.ask('Write two mails.');
  await made.office.answer(await made.office.arrival('approval', OWNER), 'edit 1\nsubject: Better');
  const again = await made.office.arrival('approval', OWNER, 2);
  for (const of of ['Better', 'two@elsewhere']) expect(again.mail.text).toContain(of);
  await made.office.answer(again, 'approve all');
  await made.office.arrival('reply', MEMBER);
  expect((await made.office.states()).toSorted()).toEqual(['executed', 'executed', 'stale']);
});
