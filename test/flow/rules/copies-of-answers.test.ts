import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { ADA, MEMBER, OWNER } from '../governance-rig.ts';
import { TIM } from '../own-words/rig.ts';
import { onceRecorded } from '../record.ts';
import { taskFile } from '../task-rig.ts';
import { mailCall, openRules, type RulesOffice, ruleCall } from './rig.ts';

const JONAS = 'jonas@member.example';
const LISA = 'lisa@member.example';
const ALWAYS = `From now on always put ${JONAS} in Cc when you write to clients about money.`;

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());

/** A gateway where Jonas stands in Cc by the owner's rule; `question` is the mail by which she was asked about it. */
async function begin(
  sentence = ALWAYS,
  whom: readonly string[] = [JONAS],
  more: object = {},
  security: object = {},
  files: Readonly<Record<string, string>> = {},
) {
  const office = await openRules(
    {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: ['*@member.example'] },
        ...more,
      },
      ...files,
    },
    security,
  );
  open.office = office;
  await office.told('Copies', sentence, [ruleCall({ quote: sentence, effect: 'cc', whom })]);
  const question = await office.yes(sentence.slice(0, 40));
  await expect.poll(() => office.rules(), { timeout: 90_000 }).toHaveLength(1);
  return { office, question };
}

/** The answer to a mail, once it has left. */
const answerTo = (office: RulesOffice, messageId: string) =>
  onceRecorded(office.root, async () => {
    const found = (await office.left('reply')).findLast(({ mail }) => mail.inReplyTo === messageId);
    if (found === undefined) throw new Error('not answered');
    const shown = (field: 'to' | 'cc') =>
      [found.mail[field] ?? []].flat().flatMap(({ value }) => value.map((one) => one.address));
    return { mail: found.mail, to: shown('to'), cc: shown('cc'), went: found.envelopeTo.split(', ').toSorted() };
  });

describe('a rule that puts somebody in Cc', () => {
  it('of a build before, to which its owner agreed for mail alone, reaches no answer until they say it once more', async () => {
    const { office } = await begin();
    const database = new SQLite(join(office.root, 'data/personas/ada/persona.db'));
    database.prepare('update rules set in_answers = 0').run();
    database.close();
    const first = await office.post({ from: MEMBER, subject: 'My bill', text: 'What do I owe?' });
    expect((await answerTo(office, first)).cc).toEqual([]);

    await office.told('Copies once more', ALWAYS, [ruleCall({ quote: ALWAYS, effect: 'cc', whom: [JONAS] })]);
    const [{ id: before }] = await office.rules();
    const asked = await onceRecorded(office.root, async () => {
      const [, second] = await office.left('approval');
      if (second === undefined) throw new Error('not asked once more');
      return second;
    });
    await office.answer(asked, 'yes', { from: OWNER });
    await expect.poll(async () => (await office.rules())[0].id, { timeout: 90_000 }).not.toBe(before);
    expect(await office.rules()).toHaveLength(1);
    const second = await office.post({ from: MEMBER, subject: 'My other bill', text: 'And what else?' });
    expect((await answerTo(office, second)).cc).toEqual([JONAS]);
  });

  it('reaches answers from the next mail on, those to owners and to whoever is copied left out, until it ends', async () => {
    const { office, question } = await begin();
    // She says yes to what code tells apart.
    const asked = question.mail.text?.replaceAll(/\n\s*[|>]?\s*/g, ' ');
    expect(asked).toContain(`I put ${JONAS} into Cc of each mail that I send for you and of each of my answers`);
    expect(asked).toContain('I cannot tell apart what a mail is about');

    const first = await office.post({ from: MEMBER, subject: 'My bill', text: 'What do I owe?' });
    const answered = await answerTo(office, first);
    expect(answered).toMatchObject({ to: [MEMBER], cc: [JONAS], went: [JONAS, MEMBER] });
    expect(office.promptOf('My bill')).toContain('the gateway puts them into Cc of mail and of your answers');

    // Jonas answers what he was copied, and is answered alone.
    const reply = { inReplyTo: answered.mail.messageId ?? '', references: [answered.mail.messageId ?? ''] };
    const his = await office.post({ from: JONAS, subject: 'Re: My bill', text: 'Did she pay?', ...reply });
    expect(await answerTo(office, his)).toMatchObject({ to: [JONAS], cc: [], went: [JONAS] });
    const hers = await office.post({ subject: 'Today', text: 'What is new?' });
    expect(await answerTo(office, hers)).toMatchObject({ to: [OWNER], cc: [], went: [OWNER] });

    const [rule] = await office.rules();
    await office.cli('rules', 'remove', rule.id);
    const last = await office.post({ from: MEMBER, subject: 'Once more', text: 'And now?' });
    expect(await answerTo(office, last)).toMatchObject({ to: [MEMBER], cc: [], went: [MEMBER] });
  });

  it('reaches the answer that comes after a wait, by the rules of that hour', async () => {
    const { office } = await begin();
    office.script('The price', [{ name: 'ask_owner', arguments: { question: 'Is it 290 or 310?' } }]);
    const first = await office.post({ from: MEMBER, subject: 'The price', text: 'What do I owe?' });
    const question = await office.arrival('clarify', OWNER);
    await office.answer(question, '290');
    expect(await answerTo(office, first)).toMatchObject({ to: [MEMBER], cc: [JONAS], went: [JONAS, MEMBER] });
  });

  it('reaches only the answers to whom it is for', async () => {
    const { office } = await begin(`Put ${JONAS} in Cc of what you write to ${LISA}.`, [JONAS]);
    const other = await office.post({ from: MEMBER, subject: 'Mine', text: 'Good morning.' });
    expect((await answerTo(office, other)).cc).toEqual([JONAS]);
    const [rule] = await office.rules();
    await office.cli('rules', 'remove', rule.id);
    const narrow = `Put ${JONAS} in Cc when you answer ${LISA}.`;
    await office.told('Narrow', narrow, [ruleCall({ quote: narrow, effect: 'cc', whom: [JONAS], for: LISA })]);
    await office.yes(narrow);
    await expect.poll(() => office.rules(), { timeout: 90_000 }).toHaveLength(1);
    const mine = await office.post({ from: MEMBER, subject: 'Mine again', text: 'Good morning.' });
    expect((await answerTo(office, mine)).cc).toEqual([]);
    const hers = await office.post({ from: LISA, subject: 'Hers', text: 'Good morning.' });
    expect((await answerTo(office, hers)).cc).toEqual([JONAS]);
  });

  it('sends no copy where the configuration denies mail to them, where the thread is private, and none to the gateway itself', async () => {
    const denied = { tool_policy: { rules: [{ tool: 'send_email', when: { to: LISA }, decision: 'deny' }] } };
    const both = `Always put ${JONAS}, ${LISA} and ${ADA} in Cc.`;
    const { office } = await begin(both, [JONAS, LISA, ADA], {}, denied);
    const first = await office.post({ from: MEMBER, subject: 'My bill', text: 'What do I owe?' });
    expect(await answerTo(office, first)).toMatchObject({ cc: [JONAS], went: [JONAS, MEMBER] });
    const quiet = await office.post({ from: MEMBER, subject: 'My own', text: 'private\n\nWhat do I owe?' });
    expect(await answerTo(office, quiet)).toMatchObject({ cc: [], went: [MEMBER] });
  });
});

describe('what a task mails', () => {
  it('has a copy where it goes to others, and none where it goes to owners', async () => {
    const yearly = (deliver: string) => taskFile('0 9 1 1 *', 'What is new?', `deliver: ${deliver}`);
    const tasks = { 'personas/ada/tasks/theirs.md': yearly(MEMBER), 'personas/ada/tasks/hers.md': yearly('owner') };
    const { office } = await begin(ALWAYS, [JONAS], {}, {}, tasks);
    for (const task of ['ada/theirs', 'ada/hers']) await office.cli('tasks', 'run', task, '--wait=30');
    const mails = await office.left('task');
    expect(mails.map(({ envelopeTo }) => envelopeTo.split(', ').toSorted())).toEqual([[JONAS, MEMBER], [OWNER]]);
  });
});

/** A mail to Tim for the owner, with somebody else in Cc whom no rule names; its Message-ID. */
async function sentToTim(office: RulesOffice): Promise<string> {
  const calls = [mailCall(TIM, { cc: [LISA] })];
  await office.told('Order it', `Please write to ${TIM}, and put ${LISA} in Cc.`, calls);
  const { mail, envelopeTo } = await onceRecorded(office.root, async () => {
    const [found] = await office.left('reply', TIM);
    if (found === undefined) throw new Error('not sent');
    return found;
  });
  expect(envelopeTo.split(', ').toSorted()).toEqual([JONAS, LISA, TIM]);
  return mail.messageId ?? '';
}

/** What is told of what somebody writes with "reply" to that mail. */
async function toldOf(office: RulesOffice, sent: string, from: string, subject: string) {
  const id = await office.post({ from, subject, text: 'Did they say?', inReplyTo: sent, references: [sent] });
  await answerTo(office, id);
  return (await office.left('relay', OWNER)).filter(({ mail }) => mail.text?.includes(from));
}

describe('somebody in Cc of a mail that was sent for an owner', () => {
  it('asks the persona where a rule put them there, and is told of as who had a copy where it did not', async () => {
    const { office } = await begin();
    const sent = await sentToTim(office);
    expect(await toldOf(office, sent, JONAS, 'Asked by Jonas')).toEqual([]);
    expect(office.promptOf('Asked by Jonas')).toContain('This sender only got a copy, by a rule of your owners');
    const [lisas] = await toldOf(office, sent, LISA, 'Asked by Lisa');
    expect(lisas?.mail.text?.replaceAll(/\s+/g, ' ')).toContain(
      `${LISA} had a copy of the mail that I sent for you ("Tomorrow"), and wrote to me:`,
    );
    const [tims] = await toldOf(office, sent, TIM, 'Answered by Tim');
    expect(tims?.mail.text?.replaceAll(/\s+/g, ' ')).toContain('answered the mail that I sent for you ("Tomorrow")');
  });
});

describe('a mail of the persona to its owners alone', () => {
  /** Words of others, with a sum that nobody whose word counts has named. */
  const files = { 'data/personas/ada/files/prices.txt': 'A bandage is 17 EUR.' };
  const read = { name: 'read_file', arguments: { path: 'prices.txt' } };
  const tell = mailCall('owners', { body: 'A bandage is 17 EUR now.' });

  it('is sent without a question, and without the copies of a rule', async () => {
    const { office } = await begin(ALWAYS, [JONAS], {}, {}, files);
    office.script('For the boss', [read], [tell]);
    const { verdicts } = await office.settled(
      await office.post({ from: JONAS, subject: 'For the boss', text: 'Tell her.' }),
    );
    expect(verdicts.at(-1)).toMatchObject({ tool: 'send_email', verdict: 'allow', by: 'owner' });
    const mail = await onceRecorded(office.root, async () => {
      const found = (await office.left('reply', OWNER)).find((one) => one.mail.subject === 'Tomorrow');
      if (found === undefined) throw new Error('not sent');
      return found;
    });
    expect(mail.envelopeTo).toBe(OWNER);
  });

  it('may be sent by the run of somebody outside who answers, also once its question was answered', async () => {
    const { office } = await begin();
    const sent = await sentToTim(office);
    office.script('We have 25', [{ name: 'ask_owner', arguments: { question: 'Take 25?' } }], [tell]);
    const id = await office.post({
      ...{ from: TIM, subject: 'We have 25', text: 'Take 25?' },
      ...{ inReplyTo: sent, references: [sent] },
    });
    await office.answer(await office.arrival('clarify', OWNER), 'No, keep it.');
    await answerTo(office, id);
    const { verdicts } = await office.settled(id);
    expect(verdicts.at(-1)).toMatchObject({ tool: 'send_email', verdict: 'allow', by: 'owner' });
  });
});
