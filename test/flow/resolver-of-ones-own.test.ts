import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';

// Of what a prompt is put together from (P-t7: the thread, the active memory, the history, and the mail with its envelope) a
// resolver that somebody writes can have all, and what it makes of that stands behind the mail.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const LOOK = `
export default {
  uses: ['readFile', 'history'],
  async resolve({ thread, persona, message, budgetTokens }, { readFile, history }) {
    const { messages } = await history(budgetTokens);
    const { messageId, newText, from, to, cc, subject, tier } = message;
    const context = {
      threadId: thread.id,
      activeMemory: await readFile('data/personas/' + persona.id + '/active.md'),
      history: messages.map(({ role }) => role),
      input: { messageId, text: newText, metadata: { from, to, cc, subject, tier } },
    };
    return { slot: 'brief', text: 'Context: ' + JSON.stringify(context) };
  },
};
`;

it('is handed the thread, the active memory, the history, and the mail with its envelope', async () => {
  const made = await openModelled(() => ({ text: 'It opens at nine.' }), {
    'extensions/resolvers/look/manifest.json': {
      ...{ name: 'look', kind: 'resolver', api: 1, summary: 'What a prompt is made of', entry: 'index.js' },
      capabilities: ['readFile', 'history'],
    },
    'extensions/resolvers/look/index.js': LOOK,
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] } },
  });
  open.made = made;
  const { office, model } = made;
  const write = (file: string, content: string) => {
    mkdirSync(dirname(join(office.root, file)), { recursive: true });
    writeFileSync(join(office.root, file), content);
  };
  const providers = [{ name: 'steady', config: { base_url: model.baseUrl } }];
  write('extensions/extensions.json', JSON.stringify({ providers, resolvers: ['look'] }));
  write('configs/context.json', JSON.stringify({ profiles: { thread: { add: ['look'] } } }));
  write('data/personas/ada/active.md', 'The shop is closed on Mondays.\n');
  await office.restart();
  const first = await office.post({ from: MEMBER, subject: 'Hours', text: 'When do you open?' });
  await office.arrival('reply', MEMBER, 1);
  await office.post({
    from: MEMBER,
    subject: 'Re: Hours',
    text: 'And on Monday?',
    inReplyTo: first,
    references: [first],
  });
  await office.arrival('reply', MEMBER, 2);
  const last = model.requests.at(-1)?.view.lastUser ?? '';
  const [, json = '{}'] = /Context: (\{.*\})/.exec(last) ?? [];
  const [thread] = (await office.cli('threads', 'list')).json.threads;
  expect(JSON.parse(json)).toEqual({
    threadId: thread.id,
    activeMemory: 'The shop is closed on Mondays.\n',
    history: ['user', 'assistant'],
    input: {
      messageId: expect.stringContaining('@'),
      text: 'And on Monday?',
      metadata: { from: MEMBER, to: [ADA], cc: [], subject: 'Re: Hours', tier: 'member' },
    },
  });
  expect(last.indexOf('And on Monday?')).toBeLessThan(last.indexOf('Context: '));
});
