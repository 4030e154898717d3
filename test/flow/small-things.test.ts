import { afterEach, describe, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { run } from './command-line.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';
import { makeWorkspace } from './workspace.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());
async function ada(says: Says, files: Readonly<Record<string, string | object>> = {}): Promise<Modelled> {
  open.made = await openModelled(says, files);
  return open.made;
}

it('what a profile adds for every mail is there for a kind of mail that adds something, too', async () => {
  const intent = { kind: 'question', wanted_effects: [], time_range: null, people: [], done: true };
  const made = await ada(
    (_turn, asked) => (asked.startsWith('{"received"') ? { text: JSON.stringify(intent) } : { text: 'Here you are.' }),
    {
      'configs/house.md': 'The house is blue.',
      'configs/questions.md': 'Questions are answered by noon.',
      'configs/context.json': {
        profiles: {
          thread: { add: ['load-file(configs/house.md)'] },
          by_kind: { question: { add: ['load-file(configs/questions.md)'], remove: ['standing-rules'] } },
        },
      },
      'configs/inference.json': {
        provider: 'steady',
        model: 'm',
        stages: { frame: { provider: 'steady', model: 'm', max_iterations: 1 } },
      },
      'personas/ada/RULES.md': 'Never on Sundays.',
      'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] } },
    },
  );
  await made.office.ask('Which colour has the house?');
  const system = made.model.requests.at(-1)?.view.system ?? '';
  expect(system).toContain('Questions are answered by noon.');
  expect(system).toContain('The house is blue.');
  expect(system).not.toContain('Never on Sundays.');
});

it('a list of personas names the key of what is wrong', async () => {
  const workspace = makeWorkspace({ 'personas/ben/persona.json': { address: 'ben@agents.localhost' } });
  try {
    const shown = await run(['--workspace', workspace.root, 'persona', 'list']);
    expect(shown.stdout).toContain('error: name: is required');
  } finally {
    workspace.remove();
  }
});

it('a mail that is sent by command is one of an owner of the persona that it goes to', async () => {
  const carla = 'carla@example.com';
  const made = await ada(() => ({ text: 'Here you are.' }), {
    'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [carla] },
  });
  const sent = await made.office.cli(
    'send',
    '--to',
    ADA,
    '--subject',
    'Hello',
    '--text',
    'Are you there?',
    '--wait=180',
  );
  expect(sent.json.results[0]).toMatchObject({ decision: 'accepted' });
  const [mail] = (await made.office.cli('mail', 'list')).json.mails;
  expect(mail).toMatchObject({ from: carla, tier: 'owner' });
});

describe('a tool', () => {
  it('finds the newest mails where only their number is said', async () => {
    const made = await ada((turn, mail) =>
      turn === 0 && mail.includes('last mails')
        ? { calls: [{ name: 'search_mail', arguments: { limit: 3 } }] }
        : { text: 'Here you are.' },
    );
    for (const name of ['One', 'Two', 'Three', 'Four']) await made.office.ask('Keep this.', OWNER, name);
    await made.office.ask('What were my last mails?', OWNER, 'Look');
    expect(made.told()).toMatch(/"count":3/);
    expect(made.told()).not.toContain('say what to look for');
  });

  it('shows the first rows of a table before anything is asked of it, and fifty of what is', async () => {
    const rows = Array.from({ length: 140 }, (_, at) => `P-${at + 1},${at}`);
    const query = (more: object) => ({ name: 'query_table', arguments: { source: 'orders.csv', ...more } });
    const made = await ada((turn) =>
      turn === 0
        ? { calls: [query({}), query({ where: [{ column: 'amount', op: '>=', value: 0 }] })] }
        : { text: 'Here you are.' },
    );
    made.put('orders.csv', ['order,amount', ...rows].join('\n'));
    await made.office.ask('What is in the orders?');
    const [look, asked] = made.model.requests.at(-1)?.view.results ?? [];
    expect(look?.content).toContain('P-10');
    expect(look?.content).not.toContain('P-11');
    expect(look?.content).toContain('"total_rows":140');
    expect(asked?.content).toContain('P-50');
  });

  it('that is called with broken JSON says that, in words and not in those of a schema', async () => {
    const rawArguments = '{"path": "a.txt", ';
    const names = ['read_file', 'answer'];
    const made = await ada((turn) =>
      turn < 2 ? { calls: [{ name: names[turn] ?? '', rawArguments }] } : { text: 'Here you are.' },
    );
    await made.office.ask('Please look.');
    expect(made.told().match(/the arguments are no valid JSON/g)?.length).toBeGreaterThanOrEqual(2);
    expect(made.told()).toContain('write all of them again as one JSON object');
    expect(made.told()).not.toContain('Invalid input');
  });
});
