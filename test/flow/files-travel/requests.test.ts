import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Turn, writtenIn } from '../../fakes/model-script.ts';
import { type Hears, type Modelled, openModelled } from '../acceptance/office-with-model.ts';
import { MEMBER, OWNER, type Sent } from '../governance-rig.ts';
import { asking, carried, type File, idOf, inAnswerTo, pdf, takesUnproven, textOf, wordsOf } from './rig.ts';

const passingOn = (mail: string): Turn => {
  const ids = [...mail.matchAll(/\[attachment (att_\w+)\]/g)].map(([, id = '']) => id);
  if (ids.length === 0 || mail.includes('is sent this answer with its attachments')) return { text: 'Thank you.' };
  return asking('asker', 'Here it is.', { attachments: ids });
};

/**
 * A model with a will of its own. It knows nothing of the tests: it writes to whom a mail names by address, has what is named
 * by its file attached, looks for it where it sees no id, and tries to pass on what nobody told it is passed on already.
 */
const will: Hears = (_turn, mail, results, { body }) => {
  const seen = textOf(body);
  const said = writtenIn(mail);
  const last = results.at(-1);
  if (last?.includes('"messages"')) {
    const found = /\[attachment (att_\w+)\]/.exec(textOf(JSON.parse(last)))?.[1];
    return found ? { calls: [{ name: 'attach', arguments: { path: found } }] } : { text: 'I have not found it.' };
  }
  if (last !== undefined) return { text: last.startsWith('{"ok":false') ? 'That did not work.' : 'Done.' };
  if (mail.includes('This answers your mail')) return passingOn(mail);
  const [to] = said.match(/[\w.-]+@(?:elsewhere|member)\.example/) ?? [];
  const [name] = said.replace(to ?? '', '').match(/[\w-]+\.(?:pdf|bin|docx)/) ?? [];
  const known = name === undefined ? null : idOf(seen, name);
  if (to) return asking(to, said, known ? { attachments: [known] } : {});
  if (name === undefined) return { text: 'Good.' };
  return known
    ? { calls: [{ name: 'attach', arguments: { path: known } }] }
    : { calls: [{ name: 'search_mail', arguments: { query: name, has_attachment: true } }] };
};

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
/** Of an owner's own words ten count in an hour. */
const inAnOffice = () => {
  beforeAll(async () => {
    seen.clear();
    rig.made = await openModelled(will, {
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, own_words: 'count', answer: 'now' } },
    });
  });
  afterAll(() => rig.made?.close());
};

/** What has come to somebody so far, so that the next is the next. */
const seen = new Map<string, number>();
async function next(kind: string, to: string): Promise<Sent> {
  const count = (seen.get(`${kind} ${to}`) ?? 0) + 1;
  seen.set(`${kind} ${to}`, count);
  return made().office.arrival(kind, to, count);
}

const file = (
  filename: string,
  contentType: string,
  content: string | Buffer = `${filename} ${contentType}`,
): File => ({
  filename,
  contentType,
  content: Buffer.from(content),
});

/** Somebody asks; the mail that goes out for it. */
async function asked(text: string, to: string, { by = OWNER, reply }: { by?: string; reply?: Sent } = {}) {
  const { office } = made();
  await office.post({ from: by, subject: 'Something for me', text, ...(reply ? inAnswerTo(reply) : {}) });
  await next('reply', by);
  // Her own words are the yes to a mail that begins something; in a thread with words of others she is asked.
  if (by === OWNER && reply === undefined) return next('reply', to);
  await office.answer(await next('approval', OWNER), 'yes');
  const sent = await next('reply', to);
  // Who asked is told what came of it.
  seen.set(`reply ${by}`, (await office.left('reply', by)).length);
  return sent;
}

/** They answer; what of it reaches whoever asked. */
async function answered(sent: Sent, text: string, attachments: readonly File[] = [], by = OWNER): Promise<Sent> {
  const from = sent.envelopeTo;
  await made().office.post({ from, ...inAnswerTo(sent), text, attachments: [...attachments] });
  const note = await next('relay', by);
  await next('reply', from);
  return note;
}

const calls = () => made().model.requests.length;
const bytesOf = (mail: Sent) => carried(mail).map(({ filename, content }) => [filename, content]);
const bytesIn = (files: readonly File[]) => files.map(({ filename, content }) => [filename, Buffer.from(content)]);

describe('a request that needs a file of somebody else', () => {
  inAnOffice();

  it.each([
    ['English', 'Please ask {to} for the proof and let me have it.', [pdf('proof.pdf', 'en')]],
    [
      'German',
      'Frag bitte {to} nach dem unterschriebenen Vertrag, ich brauche die Datei.',
      [file('Vertrag – endgültig.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')],
    ],
    [
      'French',
      'Demande à {to} le relevé de février et envoie-le-moi.',
      [file('relevé.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')],
    ],
    [
      'Spanish',
      'Pídele a {to} las fotos de la obra.',
      [file('obra 1.jpg', 'image/jpeg', Buffer.from([255, 216, 255, 0, 13, 10]))],
    ],
    [
      'Italian',
      'Chiedi a {to} il listino aggiornato, per favore.',
      [file('listino.csv', 'text/csv', 'a;b\r\n1;2\r\n')],
    ],
    ['Portuguese', 'Pede a {to} o certificado do seguro.', [pdf('certificado.pdf', 'pt')]],
    ['Dutch', 'Vraag {to} om de tekening van de keuken.', [file('keuken.dwg', 'image/vnd.dwg')]],
    ['Japanese', '{to} さんに見積書をお願いして、私に送ってください。', [pdf('見積書.pdf', 'ja')]],
    [
      'Chinese',
      '请向 {to} 要合同的扫描件，然后发给我。',
      [file('合同扫描.png', 'image/png', Buffer.from([137, 80, 78, 71, 0]))],
    ],
    ['Arabic', 'اطلب من {to} كشف الحساب وأرسله إليّ من فضلك.', [pdf('كشف.pdf', 'ar')]],
    [
      'English, for an archive and a recording',
      'Get the recordings from {to}, would you?',
      [file('all.zip', 'application/zip', Buffer.from([80, 75, 3, 4])), file('talk.mp3', 'audio/mpeg')],
    ],
  ] as const)(
    'in %s: it lies in the mailbox of whoever asked after three model calls',
    async (language, text, files) => {
      const to = `${language.slice(0, 3).toLowerCase()}.${files.length}@elsewhere.example`;
      const before = calls();
      const by = files.length === 1 ? OWNER : MEMBER;
      const sent = await asked(text.replace('{to}', to), to, { by });
      const note = await answered(sent, 'See the file.', files, by);
      expect(bytesOf(note)).toEqual(bytesIn(files));
      expect(note.envelopeTo).toBe(by);
      expect(calls() - before).toBeLessThanOrEqual(3);
    },
  );
});

describe('a request whose file takes another way', () => {
  inAnOffice();

  it('of a member to a member, who answers as a colleague', async () => {
    const max = 'max@member.example';
    const before = calls();
    const sent = await asked(`Ask ${max} for the minutes, please.`, max, { by: MEMBER });
    const minutes = pdf('minutes.pdf', 'max');
    const note = await answered(sent, 'Attached.', [minutes], MEMBER);
    expect(bytesOf(note)).toEqual(bytesIn([minutes]));
    expect(calls() - before).toBeLessThanOrEqual(3);
  });

  it('that somebody else has: over two hops', async () => {
    const [first, second] = ['ann@elsewhere.example', 'ben@elsewhere.example'];
    const one = await asked(`Ask ${first} for the plan of the cellar.`, first);
    const note = await answered(one, 'I do not have it, Ben does.');
    expect(carried(note)).toEqual([]);
    const before = calls();
    const two = await asked(`Then ask ${second}.`, second, { reply: note });
    const plan = pdf('cellar.pdf', 'ben');
    expect(bytesOf(await answered(two, 'There you are.', [plan]))).toEqual(bytesIn([plan]));
    expect(calls() - before).toBeLessThanOrEqual(3);
  });

  it('that comes later than the answer', async () => {
    const to = 'cleo@elsewhere.example';
    const before = calls();
    const sent = await asked(`Ask ${to} for the annual report.`, to);
    const first = await answered(sent, 'It will be ready tomorrow.');
    expect([carried(first), wordsOf(first).includes('attached')]).toEqual([[], false]);
    const report = pdf('report.pdf', 'cleo');
    expect(bytesOf(await answered(sent, 'Here it is now.', [report]))).toEqual(bytesIn([report]));
    expect(calls() - before).toBeLessThanOrEqual(4);
  });

  it('of which there are two, in two mails', async () => {
    const to = 'dan@elsewhere.example';
    const sent = await asked(`I need both plans that ${to} has.`, to);
    const [north, south] = [pdf('north.pdf', 'n'), pdf('south.pdf', 's')];
    expect(bytesOf(await answered(sent, 'One.', [north]))).toEqual(bytesIn([north]));
    expect(bytesOf(await answered(sent, 'And two.', [south]))).toEqual(bytesIn([south]));
  });

  it('of which the wrong one came first, under the same name', async () => {
    const to = 'eli@elsewhere.example';
    const sent = await asked(`Ask ${to} for the offer.`, to);
    const wrong = await answered(sent, 'Here.', [pdf('offer.pdf', 'of last year')]);
    const before = calls();
    const again = await asked(`That is last year's. Ask ${to} for the one of this year.`, to, { reply: wrong });
    const right = pdf('offer.pdf', 'of this year');
    const note = await answered(again, 'Sorry.', [right]);
    expect(bytesOf(note)).toEqual(bytesIn([right]));
    expect(calls() - before).toBeLessThanOrEqual(3);
    // By its name the newest is meant.
    await made().office.post({ ...inAnswerTo(note), text: 'Once more offer.pdf, please.' });
    expect(bytesOf(await next('reply', OWNER))).toEqual(bytesIn([right]));
  });

  it('that one refuses and another gives', async () => {
    const [first, second] = ['fay@elsewhere.example', 'gus@elsewhere.example'];
    const sent = await asked(`Ask ${first} for the keys' list.`, first);
    const no = await answered(sent, 'I may not give that away.');
    expect(wordsOf(no)).toContain('I may not give that away.');
    expect(wordsOf(no)).not.toMatch(/attach/i);
    const list = file('keys.csv', 'text/csv', 'k\n');
    const two = await asked(`Try ${second}, then.`, second, { reply: no });
    expect(bytesOf(await answered(two, 'Sure.', [list]))).toEqual(bytesIn([list]));
  });

  it('that came with an earlier mail of somebody: it is found and goes along', async () => {
    const max = 'max@member.example';
    const handbook = pdf('handbook.pdf', 'max');
    await made().office.post({ from: max, subject: 'For your records', text: 'Keep it.', attachments: [handbook] });
    await next('reply', max);
    const before = calls();
    await made().office.post({ subject: 'A file', text: 'Max sent a handbook.pdf once. Let me have it.' });
    expect(bytesOf(await next('reply', OWNER))).toEqual(bytesIn([handbook]));
    expect(calls() - before).toBeLessThanOrEqual(3);
  });

  it('for which there was no room: it comes when it is asked for', async () => {
    const to = 'hal@elsewhere.example';
    const sent = await asked(`Get the two models from ${to}.`, to);
    const half = Buffer.alloc(6 * 1024 * 1024, 'm');
    const files = [file('one.bin', 'application/x-model', half), file('two.bin', 'application/x-model', half)];
    const note = await answered(sent, 'Both.', files);
    expect(carried(note).map(({ filename }) => filename)).toEqual(['one.bin']);
    const before = calls();
    await made().office.post({ ...inAnswerTo(note), text: 'Then two.bin, please.' });
    const answer = await next('reply', OWNER);
    expect(carried(answer).map(({ filename, content }) => [filename, content.equals(half)])).toEqual([
      ['two.bin', true],
    ]);
    expect(calls() - before).toBeLessThanOrEqual(2);
  });

  it('that is for somebody else as well: the question shows it, and both have it', async () => {
    const [to, other] = ['ian@elsewhere.example', 'joy@elsewhere.example'];
    const sent = await asked(`Ask ${to} for the invoice.`, to);
    const invoice = pdf('invoice.pdf', 'ian');
    const note = await answered(sent, 'Here.', [invoice]);
    expect(bytesOf(note)).toEqual(bytesIn([invoice]));
    const before = calls();
    const { office } = made();
    await office.post({ ...inAnswerTo(note), text: `Mail invoice.pdf to ${other}, please.` });
    const question = await next('approval', OWNER);
    expect(question.mail.text).toContain('invoice.pdf');
    await next('reply', OWNER);
    await office.answer(question, 'yes');
    expect(bytesOf(await next('reply', other))).toEqual(bytesIn([invoice]));
    expect(calls() - before).toBeLessThanOrEqual(3);
  });
});

describe('a file that is meant to get where it does not belong', () => {
  inAnOffice();

  it('reaches nobody by an answer to a thread that the sender has no part in', async () => {
    const [kay, leo] = ['kay@elsewhere.example', 'leo@elsewhere.example'];
    const one = await asked(`Ask ${kay} for the list.`, kay);
    const two = await asked(`Ask ${leo} for the list.`, leo, { by: MEMBER });
    const { office } = made();
    const evil = pdf('list.pdf', 'evil');
    // Leo knows the Message-ID of the mail to Kay.
    await office.post({ from: leo, ...inAnswerTo(one), text: 'x', attachments: [evil] }).catch(() => {});
    await office
      .post({
        from: leo,
        ...inAnswerTo(two),
        references: [two.mail.messageId ?? '', one.mail.messageId ?? ''],
        text: 'For both.',
        attachments: [evil],
      })
      .catch(() => {});
    // To the one who had him asked, and to nobody else.
    const note = await next('relay', MEMBER);
    expect([note.envelopeTo, bytesOf(note)]).toEqual([MEMBER, bytesIn([evil])]);
    await next('reply', leo);
    expect((await office.left('relay', OWNER)).length).toBe(seen.get(`relay ${OWNER}`) ?? 0);
  });

  it('reaches nobody from whoever only claims to be the one who was asked', async () => {
    const mo = 'mo@elsewhere.example';
    const sent = await asked(`Ask ${mo} for the list.`, mo);
    const { office } = made();
    const forged = { from: mo, ...inAnswerTo(sent), text: 'Mine.', attachments: [pdf('terms.pdf', 'evil')] };
    expect(await takesUnproven(made(), forged)).toBe(false);
    expect((await office.left('relay', OWNER)).length).toBe(seen.get(`relay ${OWNER}`) ?? 0);
    const terms = pdf('terms.pdf', 'mo');
    expect(bytesOf(await answered(sent, 'Mine.', [terms]))).toEqual(bytesIn([terms]));
  });

  it('reaches no member who asks for what the owner was sent', async () => {
    const { office } = made();
    await office.post({ subject: 'Mine', text: 'Keep it.', attachments: [pdf('offer.pdf', 'hers')] });
    await next('reply', OWNER);
    // What she was sent herself, and what was passed on to her.
    for (const name of ['offer.pdf', 'terms.pdf']) {
      await office.post({ from: MEMBER, subject: name, text: `Let me have ${name}, please.` });
      expect(carried(await next('reply', MEMBER))).toEqual([]);
    }
  });
});
