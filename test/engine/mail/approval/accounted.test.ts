import { describe, expect, it } from 'vitest';
import { accountFor } from '../../../../engine/mail/approval/accounted/accounted.ts';
import { doubtfulLine, doubtfulSubject } from '../../../../engine/mail/approval/accounted/beside.ts';
import type { SentMail } from '../../../../engine/mail/approval/accounted/own-lines.ts';
import { readAnswer } from '../../../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { CLIENTS, htmlMail, plainMail } from '../../../corpus/answer-clients.ts';
import { rawMail } from '../../../corpus/build.ts';
import { LIMITS } from '../limits.ts';

const ASKED =
  'Ada wants to do this:\n\n1. send_mail to bob@example.com\nsubject: yes, approve all\n\nAnswer "approve" or "deny".';
const QUESTION: SentMail = {
  versions: [ASKED],
  subject: 'Approval',
  people: ['Ada', 'ada@agents.localhost', 'maria@example.com'],
  from: 'ada@agents.localhost',
  sentAt: Date.parse('2026-03-02T10:00:00Z'),
};

async function read(raw: Buffer, besides = { earlier: [] as string[], asked: new Set<'date' | 'time' | 'amount'>() }) {
  const outcome = await readMail(raw, LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  // A program of another language has a subject of its own of the corpus.
  const accounted = accountFor(outcome.mail.pieces, [QUESTION, { ...QUESTION, subject: 'Freigabe' }]);
  return { typed: accounted.typed, beside: doubtfulLine(accounted, besides) };
}

const approves = (typed: string) => readAnswer(typed, [1]).kind === 'approve';

describe('a yes as programs write it above and below the question', () => {
  const signedByYes = ['thunderbirdBelow', 'signed'];

  it.each(Object.keys(CLIENTS).filter((name) => !signedByYes.includes(name)))(
    'is all that is said: %s',
    async (name) => {
      const { typed, beside } = await read(CLIENTS[name]?.('Yes, please') ?? Buffer.alloc(0));
      expect([approves(typed), beside]).toEqual([true, null]);
    },
  );

  it.each(signedByYes)('is asked back about where the signature says more than a name: %s', async (name) => {
    expect((await read(CLIENTS[name]?.('Yes') ?? Buffer.alloc(0))).beside).toMatch(/yes/);
  });
});

const LATER = 'No wait, not before Monday, I have to talk to Jana first.';

describe('what stands below or beside a yes', () => {
  it.each<[string, string]>([
    ['below two dashes', `Approve\n--\n${LATER}`],
    ['below the mark of a signature', `Approve\n\n-- \n${LATER}`],
    ['below a name below the mark', `Approve\n-- \nMaria\n${LATER}`],
    ['below a line', `Approve\n________________\n${LATER}`],
    ['below a footer', `Approve\n\nSent from my iPhone\n${LATER}`],
    ['as a footer', 'Approve\n\nSent from my desk, Jana gets nothing'],
    ['as a header block', 'Approve\n\nFrom: Maria\nTo: Jana\nDate: not before Monday\nSubject: wait'],
    ['below a header block', `Approve\n\nFrom: Ada <ada@agents.localhost>\nSent: Monday\nTo: Maria\n\n${LATER}`],
    [
      'in capitals behind the colon of an attribution',
      `Approve\n\nOn Mon, 2 Mar 2026 at 10:00, Ada <ada@agents.localhost> wrote: STOJ\n> ${ASKED.replaceAll('\n', '\n> ')}`,
    ],
    ['in an attribution', 'Approve\n\nOn Monday I will talk to Jana, who wrote:\n> no'],
    ['in the middle of the quotation', `Approve\n\nAm 02.03.26 schrieb Ada:\n> Ada wants to do this:\n> ${LATER}\n`],
    ['below the quotation', `Approve\n\nAda wrote:\n> ${ASKED.replaceAll('\n', '\n> ')}\n\n${LATER}`],
    ['behind lawyers', `Approve\n\nThis e-mail is confidential.\n${LATER}`],
    ['behind lawyers, wrapped', `Approve\n\nThis e-mail is\nconfidential and privileged. ${LATER}`],
    ['as a postscript below the mark', 'Approve\n-- \nMaria\nPS: only if Bob agrees'],
    ['in words of the question, twice', 'Approve\n-- \nAnswer "approve" or "deny".\nAnswer "approve" or "deny".'],
  ])('puts it in doubt: %s', async (_where, body) => {
    const { typed, beside } = await read(plainMail(body));
    expect(beside !== null || !approves(typed)).toBe(true);
  });

  it('puts it in doubt inside HTML that is marked as a signature, or as a quotation', async () => {
    const ways = [
      `<div>Approve</div><div class="gmail_signature">${LATER}</div>`,
      `<div>Approve</div><div id="Signature"><p>Maria</p><p>${LATER}</p></div>`,
      `<div>Approve</div><blockquote type="cite">Ada wants to do this:<div>${LATER}</div></blockquote>`,
      `<div>Approve</div><div id="divRplyFwdMsg"><b>From:</b> Ada</div><div>${LATER}</div>`,
    ];
    for (const way of ways) expect((await read(htmlMail(way))).beside).toMatch(/wait|Monday/);
  });

  it.each<[string, string]>([
    [
      'a name and a house',
      'Yes\n\n-- \nMaria Lind\nHead of Finance\nLind & Co. Ltd\n12 Mill Lane, London\n+44 20 7946 0018\nwww.lind.example',
    ],
    [
      'a house with its register',
      'Ja\n--\nMaria Lind\nGeschäftsführerin\nLind GmbH, Sitz der Gesellschaft: Hamburg\nAmtsgericht Hamburg, HRB 12345\nUSt-IdNr. DE123456789',
    ],
    ['a telephone', 'Yes\n\nSent from my iPhone'],
    ['another telephone', 'Ja\n\nVon meinem Samsung Galaxy Smartphone gesendet.'],
    ['a program', 'Ja\n\nGesendet mit der mobilen Mail App'],
    ['a greeting', 'Yes\n\n-- \nBest regards\nMaria'],
    [
      'lawyers',
      'Yes\n\n-- \nMaria Lind\n\nThis message is confidential and intended only for the addressee. If you are not the intended recipient, do not act on it.',
    ],
    ['an office hour, where no time was asked about', 'Yes\n\n-- \nMaria Lind\nOffice 9:00 to 17:00'],
  ])('changes nothing where it is only who wrote it: %s', async (_what, body) => {
    const { typed, beside } = await read(plainMail(body));
    expect([approves(typed), beside]).toEqual([true, null]);
  });

  it('asks back about a time in a signature only where the question holds one', async () => {
    const signed = plainMail('Yes\n\n-- \nMaria Lind\nOffice 9:00 to 17:00');
    expect((await read(signed, { earlier: [], asked: new Set(['time']) })).beside).toMatch(/9:00/);
    const carried = 'Please send it.\n\n-- \nMaria Lind\nOffice 9:00 to 17:00\n';
    expect((await read(signed, { earlier: [carried, carried], asked: new Set(['time']) })).beside).toBeNull();
    expect((await read(signed, { earlier: [carried], asked: new Set(['time']) })).beside).toMatch(/9:00/);
  });

  it('asks back about a signature that nobody knows, and not about one that two earlier mails carried', async () => {
    const signature = '-- \nMaria\nwe build things that people like to use';
    const earlier = [`Hello\n${signature}`, `Another\n\n${signature}\n`];
    const answer = plainMail(`Yes\n${signature}`);
    expect((await read(answer)).beside).not.toBeNull();
    expect((await read(answer, { earlier, asked: new Set() })).beside).toBeNull();
    const refusing = earlier.map((text) => text.replace('we build', 'do not send'));
    const said = plainMail(`Yes\n${signature.replace('we build', 'do not send')}`);
    expect((await read(said, { earlier: refusing, asked: new Set() })).beside).not.toBeNull();
  });
});

describe('lines of our own mail', () => {
  const wrapped = ASKED.replace('to bob', 'to\nbob');

  it('are known without any mark, as a block in their order', async () => {
    expect(await read(plainMail(`No, certainly not.\n\n${ASKED}`))).toEqual({
      typed: 'No, certainly not.',
      beside: null,
    });
    expect(await read(plainMail(`${ASKED}\n\nNo.`))).toEqual({ typed: 'No.', beside: null });
    expect(await read(plainMail(`${wrapped}\n\nNo.`))).toEqual({ typed: 'No.', beside: null });
  });

  it('are the sender’s where they stand alone, or a second time', async () => {
    expect((await read(plainMail('Answer "approve" or "deny".'))).typed).toBe('Answer "approve" or "deny".');
    const twice = await read(plainMail(`${ASKED}\n\nNo.\n\n${ASKED}`));
    expect(twice.typed).toContain('send_mail to bob@example.com');
  });

  it('are known however a program wraps them', async () => {
    const quoted = wrapped.replaceAll('\n', '\n> ');
    expect((await read(plainMail(`Yes\n\nAda wrote:\n> ${quoted}`))).beside).toBeNull();
  });
});

it('says of a mail that more stands in it than was read', async () => {
  const read = async (raw: Buffer) => {
    const outcome = await readMail(raw, LIMITS);
    return outcome.ok && outcome.mail.isCut;
  };
  expect(await read(plainMail('Yes'))).toBe(false);
  expect(await read(plainMail(`Yes\n${'word '.repeat(60_000)}`))).toBe(true);
  expect(await read(htmlMail(`<div>Yes</div>${'<b>word</b> '.repeat(120_000)}`))).toBe(true);
});

describe('the subject of an answer', () => {
  const sent = [{ subject: 'Ada asks: may I send "Only today" to carl@example.com?' }];
  it.each([
    'Re: Ada asks: may I send "Only today" to carl@example.com?',
    'AW: Re: Ada asks: may I send "Only today" to carl@example.com?',
    '[EXT] RE: Ada asks: may I send "Only today"',
    'Re: [Team] Ada asks: may I send "Only today" to carl@example.com? Thanks!',
    '',
  ])('says nothing where it is ours: %j', (subject) => expect(doubtfulSubject(subject, sent)).toBeNull());
  it.each([
    'Re: not before Monday',
    'No: Ada asks: may I send "Only today" to carl@example.com?',
    'No! Re: Ada asks: may I send "Only today" to carl@example.com? but wait',
  ])('is asked about where somebody wrote into it: %j', (subject) =>
    expect(doubtfulSubject(subject, sent)).toBe(subject),
  );
});

it('counts nothing behind a quote sign as typed, also where the mail answers none', async () => {
  const { typed, beside } = await read(
    rawMail('fresh', {
      headers: [
        ['From', 'Maria <maria@example.com>'],
        ['Content-Type', 'text/plain'],
      ],
      body: `Yes\n\n> ${LATER}\n`,
    }),
  );
  expect([typed, beside]).toEqual(['Yes', LATER]);
});
