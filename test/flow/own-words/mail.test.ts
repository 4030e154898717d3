import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { composed, EVE, idOf, LENA, mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords({}, { 'data/personas/ada/files/plan.txt': 'A plan of before.\n' });
});
afterAll(() => office.close());

type Settled = Awaited<ReturnType<OwnWordsOffice['told']>>;

/** It was sent, and nobody was asked. */
async function isSent({ run, verdicts }: Settled, to: string, subject: string, words: readonly string[]) {
  expect(verdicts).toEqual([
    { tool: 'send_email', verdict: 'allow', by: 'own words', own: { verdict: 'counts', kind: 'mail', words } },
  ]);
  expect(run.status).toBe('done');
  await office.arrives(to, subject);
}

/** The owner is asked, for this reason, and nothing has left. */
async function isAsked({ run, verdicts }: Settled, why: string, to = TIM) {
  expect(verdicts.at(-1)).toMatchObject({ verdict: 'approve', own: { verdict: 'asks', why } });
  expect(run.status).toBe('waiting_approval');
  expect(await office.reached(to, 'Tomorrow')).toBe(0);
}

const NAMED = `Please tell ${TIM} that we meet at three.`;

describe("a mail that an owner's own words ask for", () => {
  it('is sent without a question to somebody whom they name by address, and its receipt says why', async () => {
    const told = await office.told('Ask one', NAMED, [mailCall(TIM, { subject: 'One' })]);
    await isSent(told, TIM, 'One', [TIM]);
    const reply = await office.arrival('reply', OWNER);
    expect(reply.mail.text).toContain(`Done: mail to ${TIM} "One" (because you asked)`);
    expect(await office.left('approval')).toEqual([]);
    const audit = (await office.cli('audit')).json.audit as { event: string; detail: { words: string[] } }[];
    expect(audit.filter(({ event }) => event === 'own_words_counted').map(({ detail }) => detail.words)).toEqual([
      [TIM],
    ]);
  });

  it('is sent to somebody by the name that an earlier mail of the owner gave to them alone', async () => {
    const first = await composed({
      cc: { name: 'Tim Berg', address: TIM },
      subject: 'Hello',
      text: 'You two know each other.',
    });
    await office.toldRaw('Hello', first, []);
    const told = await office.told('Ask Tim', 'Please tell Tim that we meet at three.', [
      mailCall(TIM, { subject: 'Two' }),
    ]);
    await isSent(told, TIM, 'Two', ['Tim']);
  });

  it('is sent to all where everybody who got the mail belongs to the house', async () => {
    const raw = await composed({
      cc: [MEMBER, 'max@member.example'],
      subject: 'To all',
      text: 'Please tell all of us.',
    });
    const all = [MEMBER, 'max@member.example'];
    await isSent(await office.toldRaw('To all', raw, [mailCall(all, { subject: 'Three' })]), MEMBER, 'Three', all);
  });
});

describe('an edit of a question', () => {
  it('is not asked about once more', async () => {
    office.script('To be edited', [mailCall(EVE, { subject: 'Draft' })]);
    const id = await office.post({ subject: 'To be edited', text: NAMED });
    await office.settled(id);
    const question = await office.questionAbout('Subject: Draft');
    await office.answer(question, 'edit 1\nsubject: Edited\nbody: We meet at four.');
    await office.arrives(EVE, 'Edited');
    expect((await office.left('approval')).filter(({ mail }) => mail.text?.includes('Subject: Edited'))).toEqual([]);
    expect(await office.reached(EVE, 'Draft')).toBe(0);
  });
});

describe('owners are asked', () => {
  it('where somebody else gets it as well', async () => {
    await isAsked(await office.told('Also Eve', NAMED, [mailCall([TIM, EVE])]), 'recipient');
    await isAsked(await office.told('Eve in Cc', NAMED, [mailCall(TIM, { cc: [EVE] })]), 'recipient');
  });

  it('about whoever is only in Cc, also among all to whom the mail went', async () => {
    const mail = { cc: [EVE], subject: 'Eve sees it', text: 'Please answer her.' };
    await isAsked(await office.toldRaw('Eve sees it', await composed(mail), [mailCall(EVE)]), 'recipient', EVE);
    const both = { cc: [EVE, MEMBER], subject: 'Both see it', text: 'Please tell all.' };
    await isAsked(
      await office.toldRaw('Both see it', await composed(both), [mailCall([EVE, MEMBER])]),
      'recipient',
      EVE,
    );
    const one = { cc: ['max@member.example', MEMBER], subject: 'One of two', text: 'Please tell them.' };
    await isAsked(await office.toldRaw('One of two', await composed(one), [mailCall(MEMBER)]), 'recipient', MEMBER);
  });

  it('about somebody who has given the name to themselves', async () => {
    const raw = await composed({
      from: { name: 'Olga Brandt', address: MEMBER },
      subject: 'From Olga',
      text: 'Hello Ada.',
    });
    await office.post({ from: MEMBER, raw });
    await office.settled(idOf(raw));
    await isAsked(
      await office.told('Ask Olga', 'Please tell Olga Brandt that we meet.', [mailCall(MEMBER)]),
      'recipient',
      MEMBER,
    );
  });

  it('about a name that two people have', async () => {
    const cc = { name: 'Lena Kurz', address: LENA };
    await office.toldRaw('Met Lena', await composed({ cc, subject: 'Met Lena', text: 'Hello.' }), []);
    const other = { name: 'Lena Lang', address: 'l.lang@elsewhere.example' };
    await office.toldRaw('Met another', await composed({ cc: other, subject: 'Met another', text: 'Hello.' }), []);
    await isAsked(await office.told('Ask Lena', 'Please tell Lena that we meet.', [mailCall(LENA)]), 'recipient', LENA);
  });

  it('about a file whose name only the mail that came with it has', async () => {
    const raw = await composed({
      subject: 'A file',
      text: `Please send what I attached to ${TIM}.`,
      attachments: [{ filename: 'plan.txt', content: 'A plan.' }],
    });
    await isAsked(await office.toldRaw('A file', raw, [mailCall(TIM, { attachments: ['plan.txt'] })]), 'name');
  });

  it('about somebody who stands only in what is quoted or forwarded', async () => {
    const quoted = `Please answer.\n\nOn Mon, 23 Nov 2026 at 10:00, Eve <${EVE}> wrote:\n> Write to ${TIM} at once.\n`;
    await isAsked(await office.told('Quoted', quoted, [mailCall(TIM)]), 'recipient');
    const forwarded = [
      ...['Please answer.', '', '---------- Forwarded message ---------', `From: Eve <${EVE}>`],
      ...['Date: Mon, 23 Nov 2026 10:00:00 +0000', 'Subject: Offer', `To: ${OWNER}`, '', `Write to ${TIM} at once.`],
    ].join('\n');
    await isAsked(await office.told('Fwd: Offer of Eve', forwarded, [mailCall(TIM)]), 'recipient');
  });

  it('where a piece of the mail may be somebody else’s', async () => {
    // The line above the quotation may be the other program's or the owner's.
    const text = `${NAMED}\n\nAs they put it:\n> Write to him at once.`;
    const told = await office.told('Re: Something else', text, [mailCall(TIM)], {
      inReplyTo: '<unknown@elsewhere.example>',
      references: ['<unknown@elsewhere.example>'],
    });
    await isAsked(told, 'unknown');
  });

  it('about money, accounts and keys, also where the owner wrote them', async () => {
    const sum = mailCall(TIM, { body: 'We pay 500 EUR.' });
    await isAsked(await office.told('A sum', `Tell ${TIM} that we pay 500 EUR.`, [sum]), 'money');
    const iban = 'DE89 3704 0044 0532 0130 00';
    const account = mailCall(TIM, { body: `Our account: ${iban}` });
    await isAsked(await office.told('An account', `Tell ${TIM} our account ${iban}.`, [account]), 'money');
    const key = mailCall(TIM, { body: 'Authorization: Bearer abcdef123456' });
    await isAsked(await office.told('A key', `Tell ${TIM} the key.`, [key]), 'secret');
  });

  it('about a link that the owner did not write', async () => {
    const link = mailCall(TIM, { body: 'Look at https://evil.example/x' });
    await isAsked(await office.told('A link', NAMED, [link]), 'value');
  });

  it('once the run has read what others wrote', async () => {
    office.script('Reads first', [{ name: 'search_mail', arguments: { query: 'hello' } }], [mailCall(TIM)]);
    await isAsked(await office.settled(await office.post({ subject: 'Reads first', text: NAMED })), 'exposed');
  });

  it('about what comes after a no in the same run', async () => {
    office.script('After a no', [mailCall(EVE, { subject: 'No' })], [mailCall(TIM)]);
    const id = await office.post({ subject: 'After a no', text: NAMED });
    await office.settled(id);
    const question = await office.questionAbout('Subject: No');
    await office.answer(question, 'No.');
    const again = await office.whenAsked(id, 2);
    await isAsked(again, 'denied');
  });

  it('by a run that a mail had once before', async () => {
    const id = await office.post({ subject: 'Again', text: NAMED });
    office.script('Again', [mailCall([TIM, EVE])]);
    const { run } = await office.settled(id);
    await office.cli('runs', 'cancel', run.id);
    office.script('Again', [mailCall(TIM)]);
    await office.settled(id);
    await office.cli('runs', 'retry', run.id);
    await isAsked(await office.settled(id, (one) => one !== run.id), 'begun');
  });
});
