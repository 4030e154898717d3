import { afterEach, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER, OWNER } from './governance-rig.ts';

// Rules and mails say `files/orders.csv`, and so do models; each such path cost a call, and three of them the mail.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

async function reading(path: string, name = 'read_file', files: Readonly<Record<string, object>> = {}) {
  const made = await openModelled(
    (turn) => (turn === 0 ? { calls: [{ name, arguments: { path } }] } : { text: 'I have looked.' }),
    files,
  );
  open.made = made;
  made.put('orders.csv', 'order,customer\nP-1,Yuki\n');
  made.put('lists/stock.xlsx.csv', 'a,b\n');
  made.put('lists/prices.txt', 'Soup: 4 EUR\n');
  return made;
}

async function told(made: Modelled): Promise<string> {
  await made.office.ask('Who ordered P-1?');
  await made.office.arrival('reply', MEMBER);
  return made.told();
}

it('a path that begins with the name of the root is taken for what it means', async () => {
  const made = await reading('files/orders.csv');
  const seen = await told(made);
  expect(seen).toContain('P-1,Yuki');
  expect(seen).not.toContain('not_found');
});

it('the root is listed by its name', async () => {
  expect(await told(await reading('files', 'list_files'))).toContain('orders.csv');
});

it('a folder that is called so is meant itself', async () => {
  const made = await reading('files/orders.csv');
  made.put('files/orders.csv', 'another list');
  expect(await told(made)).toContain('another list');
});

it('a rule about a path holds for it, however it is written', async () => {
  const made = await reading('./files/lists/prices.txt', 'read_file', {
    'configs/security.json': {
      owners: [OWNER],
      tool_policy: { rules: [{ tool: 'read_file', when: { path: 'lists/*' }, decision: 'deny' }] },
    },
  });
  const seen = await told(made);
  expect(seen).toContain('policy_denied');
  expect(seen).not.toContain('4 EUR');
});

it.each([
  ['./lists/prices.txt', 'lists/*'],
  ['lists//./prices.txt', 'lists/prices.txt'],
  ['lists/prices.txt', './lists/*'],
  ['./lists/prices.txt', './lists/prices.txt'],
  ['lists/prices.txt', 'files/lists/*'],
])('the path %s is held by a rule about %s', async (path, rule) => {
  const made = await reading(path, 'read_file', {
    'configs/security.json': {
      owners: [OWNER],
      tool_policy: { rules: [{ tool: 'read_file', when: { path: rule }, decision: 'deny' }] },
    },
  });
  const seen = await told(made);
  expect(seen).toContain('policy_denied');
  expect(seen).not.toContain('4 EUR');
});

it('a name that is not there is answered with the root and the names that may have been meant', async () => {
  const seen = await told(await reading('prices.pdf'));
  expect(seen).toContain('there is no \\"prices.pdf\\" below files/; there is \\"lists/prices.txt\\"');
  expect(seen).not.toContain('orders');
});

it('names of other files are told to nobody who may not list them', async () => {
  const made = await reading('prices.pdf', 'read_file', {
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: [MEMBER] },
      tools: { allow: ['*'], deny: ['list_files'] },
    },
  });
  const seen = await told(made);
  expect(seen).toContain('below files/');
  expect(seen).not.toContain('prices.txt');
});
