import { afterEach, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { OWNER } from './governance-rig.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const MAIL = 'That copy was meant for clients. End the rule and just do it for clients about money.';
const LESS = 'just do it for clients about money';
const remember = (quote: string, replaces: string | null) => ({
  calls: [{ name: 'remember', arguments: { text: 'Jonas gets a copy of mail about money', quote, replaces } }],
});

it('a model that has read what others wrote is told that the quotation is kept, and can quote less of it', async () => {
  const made = await openModelled(
    (turn, _mail, results) =>
      [
        { calls: [{ name: 'read_file', arguments: { path: 'others.txt' } }] },
        remember(MAIL, null),
        remember(LESS, /"id":"(f[0-9a-f]+)"/.exec(results.at(-1) ?? '')?.[1] ?? 'none'),
      ][turn] ?? { text: 'Kept.' },
    {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        memory: { facts: true, recall: false },
      },
    },
  );
  open.made = made;
  made.put('others.txt', 'Words of somebody else.\n');
  await made.office.ask(MAIL, OWNER, 'Copies');
  await made.office.arrival('reply', OWNER);
  expect(made.told()).toContain('quote only what is');
  const { facts } = (await made.office.cli('memory', 'list')).json;
  expect(facts.map(({ text }: { text: string }) => text)).toEqual([LESS]);
});
