import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { ADA, CARL, MEMBER, OWNER } from './governance-rig.ts';
import { openPersonaDb } from './persona-db.ts';

const open: { modelled: Modelled | null } = { modelled: null };
afterEach(async () => {
  await open.modelled?.close();
  open.modelled = null;
});

const REQUEST = '<request@member.example>';
const SECRET = 'Strictly between us: cheaper than Dora';

/** Writes to Carl when she is asked to, and answers everything else. */
const says: Says = (turn, mail) =>
  turn === 0 && mail.includes('Ask Carl')
    ? { calls: [{ name: 'send_email', arguments: { to: [CARL], subject: 'A meeting', body: 'When can you come?' } }] }
    : { text: 'I will be there.' };

/** A member asked for a mail to Carl, an owner approved it, and it has left; its Message-ID. */
async function sentForMember(script: Says = says, text = 'Ask Carl when he can come, please.') {
  const modelled = await openModelled(script);
  open.modelled = modelled;
  const { office } = modelled;
  await office.post({
    raw: rawFrom(`Mia Moor <${MEMBER}>`, [`To: ${ADA}`, `Subject: ${SECRET}`, `Message-ID: ${REQUEST}`], text),
    from: MEMBER,
  });
  await office.answer(await office.arrival('approval', OWNER), 'approve');
  const { mail } = await office.arrival('reply', CARL);
  await office.arrival('reply', MEMBER);
  return { ...modelled, sent: mail.messageId ?? '' };
}

const rawFrom = (from: string, lines: readonly string[], text: string): string =>
  [`From: ${from}`, ...lines, 'Date: Sat, 21 Nov 2026 12:00:00 +0000', '', text, ''].join('\r\n');

function answerOf(from: string, to: readonly string[], more: readonly string[], text: string, id: string) {
  return rawFrom(from, ['Subject: Re: A meeting', `To: ${to.join(', ')}`, `Message-ID: ${id}`, ...more], text);
}

const FIRST = '<first@elsewhere.example>';
const carl = `Carl Cole <${CARL}>`;
const answering = (id: string) => [`In-Reply-To: ${id}`, `References: ${id}`];

/** The words of the mail, without what is put below all mails. */
const bodyOf = ({ mail }: { mail: { text?: string | undefined } }) => (mail.text ?? '').split('\n-- ')[0]?.trim();

describe('an answer to a mail that was sent for somebody', () => {
  it('is told to the one who asked, in the thread of the request, and each further one too', async () => {
    const { office, model, sent } = await sentForMember();
    const { post } = office;
    await post({ from: CARL, raw: answerOf(carl, [ADA], answering(sent), '13:00?', FIRST) });
    const note = await office.arrival('relay', MEMBER);
    expect(bodyOf(note)).toBe(
      [
        `Carl Cole <${CARL}> answered the mail that I sent for you ("A meeting"):`,
        '  > 13:00?',
        'I have answered Carl Cole already.',
      ].join('\n\n'),
    );
    expect({ subject: note.mail.subject, inReplyTo: note.mail.inReplyTo, to: note.envelopeTo }).toEqual({
      subject: `Re: ${SECRET}`,
      inReplyTo: REQUEST,
      to: MEMBER,
    });
    const answer = await office.arrival('reply', CARL, 2);
    expect(bodyOf(answer)).toBe('I will be there.');

    // What it is about is told to the model, and what of the request is not for Carl is not.
    const shown = model.requests.find(({ view }) => view.lastUser.includes('13:00?'))?.view.lastUser ?? '';
    expect(shown).toMatch(
      new RegExp(
        `This answers your mail "A meeting" of \\d{4}-\\d\\d-\\d\\d to ${CARL}, which you sent for somebody else`,
      ),
    );
    expect(shown).toContain('is sent this answer by the gateway itself');
    for (const { raw } of model.requests.filter(({ view }) => view.lastUser.includes('13:00?'))) {
      expect(raw.toString('utf8')).not.toMatch(/Strictly|Dora|Mia Moor|mia@member/);
    }

    // In answer to Ada's own answer, as people do.
    const second = answering(answer.mail.messageId ?? '');
    await post({ from: CARL, raw: answerOf(carl, [ADA], second, 'Or 14:00.', '<second@elsewhere.example>') });
    expect(bodyOf(await office.arrival('relay', MEMBER, 2))).toContain('> Or 14:00.');

    const why = (await office.cli('why', REQUEST)).json.entries[0];
    expect(why.replies.filter(({ kind }: { kind: string }) => kind === 'relay')).toHaveLength(2);
    const whyAnswer = (await office.cli('why', FIRST)).json.entries[0];
    expect(whyAnswer.replies.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['relay', 'reply']);
  });

  it('says that the answer has begun where what could be said already has left beside a question to an owner', async () => {
    const { office, sent } = await sentForMember((turn, mail, results) =>
      results.length === 0 && mail.includes('13:00?')
        ? {
            text: 'I ask Olga, and write to you again.',
            calls: [{ name: 'ask_owner', arguments: { question: 'Is 13:00 good?' } }],
          }
        : says(turn, mail, []),
    );
    const settings = { owners: [OWNER], approvals: { batch_window_s: 0, answer: 'now' } };
    writeFileSync(join(office.root, 'configs/security.json'), JSON.stringify(settings));
    await office.restart();
    await office.post({ from: CARL, raw: answerOf(carl, [ADA], answering(sent), '13:00?', FIRST) });
    expect(bodyOf(await office.arrival('reply', CARL, 2))).toBe('I ask Olga, and write to you again.');
    await office.later(1);
    expect((await office.arrival('relay', MEMBER)).mail.text).toContain(
      'I have written to Carl Cole already; the rest of my answer is still to come.',
    );
  });

  it('is told in the language of the request, long ones shortened and attachments brought along', async () => {
    const { office, sent } = await sentForMember(
      (turn, mail) => says(turn, mail.includes('Bitte frage Carl') ? 'Ask Carl' : mail, []),
      'Bitte frage Carl, wann er morgen zu uns in die Werkstatt kommen kann. Danke!',
    );
    const long = `${'x'.repeat(60)}\n`.repeat(50);
    const raw = rawFrom(
      carl,
      [
        `To: ${ADA}`,
        'Subject: Re: A meeting',
        `Message-ID: ${FIRST}`,
        ...answering(sent),
        'Content-Type: multipart/mixed; boundary="b"',
      ],
      `--b\r\nContent-Type: text/plain\r\n\r\n${long}\r\n--b\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\na,b\r\n--b--`,
    );
    await office.post({ from: CARL, raw });
    const note = await office.arrival('relay', MEMBER);
    const text = bodyOf(note) ?? '';
    expect(text).toMatch(/hat auf die Mail geantwortet, die ich für Sie geschickt habe \(„A meeting“\):/);
    expect(text).toContain('… und 1049 weitere Zeichen, die hier fehlen.');
    expect(text).toContain('Diese Datei war dabei und hängt hier an: a.csv (3 Byte).');
    expect(note.mail.attachments.map(({ filename }) => filename)).toEqual(['a.csv']);
    expect(text.length).toBeLessThan(2600);
  });

  it('is told to nobody when a program sent it, an owner wrote beside it, or the one who asked has it already', async () => {
    const { office, sent } = await sentForMember();
    const { post } = office;
    const away = [...answering(sent), 'Auto-Submitted: auto-replied'];
    await post({ from: CARL, raw: answerOf(carl, [ADA], away, 'I am away.', '<away@elsewhere.example>') });
    await post({
      from: CARL,
      raw: answerOf(carl, [ADA, MEMBER], answering(sent), 'To you both.', '<both@elsewhere.example>'),
    });
    await office.arrival('reply', CARL, 2);
    await post({ raw: answerOf(OWNER, [ADA], answering(sent), 'And now?', '<own@example.com>') });
    await office.arrival('reply', OWNER);
    await vi.waitFor(async () => {
      expect(relays(office.root)).toEqual([]);
    }, 90_000);
    expect(await office.left('relay')).toEqual([]);
  });

  it('is told to nobody when another persona wrote it, which answers as a program does', async () => {
    const ben = 'ben@agents.localhost';
    const modelled = await openModelled(
      (turn, mail) =>
        turn === 0 && mail.includes('Ask Ben')
          ? { calls: [{ name: 'send_email', arguments: { to: [ben], subject: 'A meeting', body: 'When?' } }] }
          : { text: 'At noon.' },
      { 'personas/ben/persona.json': { name: 'Ben', address: ben, access: { allow: [ADA] } } },
    );
    open.modelled = modelled;
    const { office } = modelled;
    await office.post({ from: MEMBER, subject: 'A request', text: 'Ask Ben when he can come, please.' });
    await office.answer(await office.arrival('approval', OWNER), 'approve');
    await office.post({ from: ADA, to: ben, raw: (await office.arrival('reply', ben)).raw });
    const answer = await office.arrival('reply', ADA);
    expect(answer.mail.headers.get('auto-submitted')).toBe('auto-replied');
    await office.post({ from: ben, to: ADA, raw: answer.raw });
    await office.arrival('reply', ben, 2);
    await vi.waitFor(() => expect(relays(office.root)).toEqual([]), 90_000);
    expect(await office.left('relay')).toEqual([]);
  });

  it('is told to nobody who may not write here any more', async () => {
    const { office, sent } = await sentForMember();
    office.workspace.write('personas/ada/persona.json', { name: 'Ada', address: ADA, access: { deny: [MEMBER] } });
    await office.restart();
    await office.post({ from: CARL, raw: answerOf(carl, [ADA], answering(sent), '13:00?', FIRST) });
    await office.arrival('reply', CARL, 2);
    await vi.waitFor(async () => {
      expect(relays(office.root)).toEqual([]);
    }, 90_000);
    expect(await office.left('relay')).toEqual([]);
  });

  it.each(['accept.committed', 'run.finished', 'relay.told'])(
    'is told once when the gateway is killed at %s',
    async (label) => {
      const { office, sent } = await sentForMember();
      const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
      const raw = answerOf(carl, [ADA], answering(sent), '13:00?', FIRST);
      await office.post({ from: CARL, raw }).catch(() => {});
      await dying.death();
      await office.restart({});
      // Whoever heard no 250 sends it again.
      await office.post({ from: CARL, raw });
      await office.arrival('relay', MEMBER);
      await office.arrival('reply', CARL, 2);
      await vi.waitFor(async () => {
        expect(relays(office.root)).toEqual([]);
      }, 90_000);
      expect(await office.left('relay')).toHaveLength(1);
    },
  );
});

function relays(root: string): readonly string[] {
  const db = openPersonaDb(root, 'ada');
  try {
    return db.jobs('relay');
  } finally {
    db.close();
  }
}
