import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { EVE } from '../own-words/rig.ts';
import { openRules, type RulesOffice, ruleCall } from './rig.ts';

// What an owner says is to hold from now on holds from the next mail on, whoever writes it. Each with what happens before it is said.

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());

const begin = async (learning: object = {}): Promise<RulesOffice> => {
  open.office = await openRules({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      learning,
    },
  });
  return open.office;
};

const isThere = (office: RulesOffice, path: string): boolean =>
  existsSync(join(office.root, 'data/personas/ada/files', path));
const saving = (path: string) => ({ name: 'write_file', arguments: { path, content: 'kept' } });
const deletion = (path: string) => ({ name: 'delete_file', arguments: { path } });

describe('a sentence of an owner about how mail is answered', () => {
  it('stands in the prompt of the next mail, which is a member’s, and in none before', async () => {
    const office = await begin();
    const paid = 'From now on, when an invoice comes, always answer with "Paid within 14 days".';
    await office.told('Invoice B-1', 'Here is invoice B-1.', [], { from: MEMBER });
    expect(office.promptOf('Invoice B-1')).not.toContain('Paid within 14 days');
    const { verdicts } = await office.told('Invoices', paid, [ruleCall({ quote: paid })]);
    expect(verdicts).toMatchObject([{ tool: 'remember_rule', verdict: 'allow' }]);
    expect(await office.left('approval')).toEqual([]);
    await office.told('Invoice B-2', 'Here is invoice B-2.', [], { from: MEMBER });
    expect(office.promptOf('Invoice B-2')).toContain(JSON.stringify(paid));
  });
});

describe('a sentence of an owner that has an end', () => {
  it('is held at once, beside what the same mail has asked about, and its day is said where it can be taken back', async () => {
    const office = await begin();
    const until = 'Until 4 January 2030 take no bookings for more than 10 people.';
    const shared = { action: 'create', task: 'plans', schedule: '0 10 * * 6', prompt: 'The plans.', deliver: EVE };
    const { verdicts } = await office.told('Saturday', `Remind ${EVE} of the plans each Saturday.\n${until}`, [
      { name: 'schedule_task', arguments: shared },
      ruleCall({ quote: until, until: '2030-01-04' }),
    ]);
    expect(verdicts.map(({ tool, verdict }) => [tool, verdict])).toEqual([
      ['schedule_task', 'approve'],
      ['remember_rule', 'allow'],
    ]);
    expect(await office.rules()).toMatchObject([{ text: until, effect: 'words' }]);
    const question = await office.questionAbout('plans');
    expect(question.mail.text).not.toContain('From now on I keep to these words');
    const notice = await office.noticeOf(until);
    expect(notice.mail.text).toContain('It ends after Fri, 4 Jan 2030');
    expect(office.promptOf('A table')).toBe('');
    await office.told('A table', 'A table for 12 on Thursday, please.', [], { from: MEMBER });
    expect(office.promptOf('A table')).toContain(JSON.stringify(until));
    await office.answer(notice, 'undo');
    await expect.poll(() => office.rules(), { timeout: 90_000 }).toEqual([]);
  });
});

describe('a denial of an owner', () => {
  it('is held for the next mail of whoever it is: nothing is saved, and nobody is asked', async () => {
    const office = await begin();
    await office.told('Keep one', 'Please keep one.txt.', [saving('one.txt')], { from: MEMBER });
    expect(isThere(office, 'one.txt')).toBe(true);
    const never = 'From now on never save files for anybody.';
    await office.told('Never', never, [ruleCall({ quote: never, effect: 'deny', tools: ['write_file'] })]);
    const { run, verdicts } = await office.told('Keep two', 'Please keep two.txt.', [saving('two.txt')], {
      from: MEMBER,
    });
    expect(verdicts).toMatchObject([{ tool: 'write_file', verdict: 'deny' }]);
    expect(isThere(office, 'two.txt')).toBe(false);
    expect(await office.codesOf(run.id)).toEqual(['policy_denied']);
    expect(await office.left('approval')).toEqual([]);
  });

  it('is held at once as a part of how mail is worked on, and does not wait for ten runs', async () => {
    const office = await begin({ enabled: true });
    const words = 'When an invoice comes, never delete a file without being asked.';
    const proposal = {
      name: 'propose_playbook',
      arguments: {
        kind: 'answer',
        words,
        deny: [{ rule: 'kept', tool: 'delete_file', reason: 'without being asked' }],
      },
    };
    await office.told('Keep three', 'Please keep three.txt and four.txt.', [saving('three.txt'), saving('four.txt')], {
      from: MEMBER,
    });
    const before = await office.told('Delete three', 'Please delete three.txt.', [deletion('three.txt')], {
      from: MEMBER,
    });
    expect(before.verdicts).toMatchObject([{ tool: 'delete_file', verdict: 'approve' }]);
    await office.answer(await office.questionAbout('three.txt'), 'no');
    await office.told('Our way', words, [proposal]);
    await office.answer(await office.questionAbout('In your words'), 'yes', { from: OWNER });
    await office.arrival('reply', OWNER);
    const { verdicts } = await office.told('Delete four', 'Please delete four.txt.', [deletion('four.txt')], {
      from: MEMBER,
    });
    expect(verdicts).toMatchObject([{ tool: 'delete_file', verdict: 'deny' }]);
    expect(isThere(office, 'four.txt')).toBe(true);
    const [asked] = office.requests.filter(({ view }) => view.lastUser.includes('Delete four'));
    expect(asked?.view.system).toContain(words);
  });
});
