import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { EVE, type OwnWordsOffice, openOwnWords } from './rig.ts';

const OTHER = 'other.owner@example.com';
const WORDS = 'Remind me on 5 January 2030 at nine to call Tim.';

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords({ owners: [OWNER, OTHER] }, { 'data/personas/ada/files/plan.txt': 'A plan.\n' });
});
afterAll(() => office.close());

const reminder = (task: string, more: object) => ({
  name: 'schedule_task',
  arguments: { action: 'create', task, schedule: 'at 2030-01-05T09:00', prompt: 'Remind me to call Tim.', ...more },
});

const tasks = () => readdirSync(join(office.root, 'personas/ada/tasks')).toSorted();

describe('one of several owners', () => {
  it('is reminded without a question at the address that the mail came from', async () => {
    const { run, verdicts } = await office.told('Mine', WORDS, [reminder('mine', { deliver: OWNER })]);
    expect(verdicts).toMatchObject([{ verdict: 'allow', by: 'own words', own: { kind: 'stays' } }]);
    expect(run.status).toBe('done');
    expect(tasks()).toEqual(['mine.md']);
  });

  it.each([
    ['all owners', {}],
    ['all owners by name', { deliver: 'owner' }],
    ['another owner', { deliver: OTHER }],
    ['another owner beside', { deliver: `${OWNER}, ${OTHER}` }],
    ['a stranger', { deliver: EVE }],
    ['a stranger beside', { deliver: `${OWNER},${EVE}` }],
    ['somebody of like letters', { deliver: OWNER.replace('o', '\u043e') }],
    ['two addresses in one', { deliver: `${OWNER} ${EVE}` }],
    ['a name before an address', { deliver: `"${OWNER}" <${EVE}>` }],
    ['a stranger in what it is told', { deliver: OWNER, prompt: `Write to ${EVE}.` }],
    ['nobody before something is found', { deliver: OWNER, condition: '/read_file {"path": "plan.txt"}' }],
  ] as readonly (readonly [string, object])[])(
    'attack: is asked, or it is refused, where it would reach %s',
    async (name, more) => {
      const { verdicts } = await office.told(`Reach ${name}`, WORDS, [reminder(name.replaceAll(' ', '-'), more)]);
      expect(verdicts.filter(({ verdict }) => verdict === 'allow')).toEqual([]);
    },
  );

  it('attack: is asked once the run has read what others wrote', async () => {
    office.script(
      'Read first',
      [{ name: 'read_file', arguments: { path: 'plan.txt' } }],
      [reminder('read-first', { deliver: OWNER })],
    );
    const { verdicts } = await office.whenAsked(await office.post({ subject: 'Read first', text: WORDS }), 2);
    expect(verdicts.at(-1)).toMatchObject({ verdict: 'approve', own: { why: 'exposed' } });
  });

  it('after all of that there is the one reminder', () => expect(tasks()).toEqual(['mine.md']));
});
