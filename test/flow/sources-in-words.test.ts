import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedCall, Turn } from '../fakes/model-script.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

// Below an answer stands what it rests on: with names of files for owners and members, and in plain words for people outside.

const LENA = 'lena@elsewhere.example';
const read: ScriptedCall = { name: 'read_file', arguments: { path: 'costs.csv' } };
const double: ScriptedCall = { name: 'calculate', arguments: { expression: '37890.10 * 2' } };
const TURNS: readonly Turn[] = [
  { calls: [read, double] },
  {
    calls: [
      {
        name: 'answer',
        arguments: {
          text: 'It was 37,890.10 [1], and 75,780.20 for both [2].',
          figures: [
            { shown: '37,890.10', from: ['t1'], cells: ['t1.B3'] },
            { shown: '75,780.20', from: ['t2'], cells: [] },
          ],
        } as never,
      },
    ],
  },
];

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

async function begin(): Promise<Modelled> {
  const made = await openModelled(
    (turn, mail) => (mail.includes('cost') ? TURNS[turn] : undefined) ?? { text: 'Yes.' },
    {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: ['*@member.example'], known: { tools: ['read_file'] } },
      },
    },
  );
  open.made = made;
  made.put('costs.csv', 'month;parts\nAugust;41.200,00\nSeptember;37.890,10\n');
  return made;
}

describe('what an answer rests on', () => {
  it('is named by the file to a member, and a calculation is called one', async () => {
    const { office } = await begin();
    await office.ask('What did September cost?', MEMBER, 'Costs');
    const { mail } = await office.arrival('reply', MEMBER);
    expect(mail.text).toContain('Sources:\n[1] costs.csv, row 3\n[2] a calculation');
  });

  it('has no name of a file or a tool for somebody whom an owner has put in Cc', async () => {
    const { office } = await begin();
    const first = await office.post({ from: OWNER, cc: [LENA], subject: 'Prices', text: 'Hello.' });
    await office.arrival('reply', OWNER);
    await office.post({
      ...{ from: LENA, subject: 'Re: Prices', text: 'What did September cost?' },
      ...{ inReplyTo: first, references: [first] },
    });
    const { mail } = await office.arrival('reply', LENA);
    expect(mail.text).toContain('Sources:\n[1] our own records\n[2] a calculation');
    expect(mail.text).not.toMatch(/costs\.csv|calculate/);
  });
});
