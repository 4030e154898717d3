import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Hears, type Modelled, openModelled } from '../acceptance/office-with-model.ts';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { asking, askingCarl, carlAsked, carried, idOf, inAnswerTo, pdf, textOf, wordsOf } from './rig.ts';

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
const attach = (path: string) => ({ calls: [{ name: 'attach', arguments: { path } }] });
const DORA = 'dora@elsewhere.example';
/** What the model is shown of one mail, to the last word. */
const promptOf = (mail: string): string =>
  textOf(made().model.requests.find(({ view }) => view.lastUser.includes(mail))?.body);
/** An id that the model has no business to know. */
const stolen = { id: 'none' };

/** Does what a mail says by ids that stand in what it is shown; it knows no others. */
const says: Hears = (turn, mail, results, heard) => {
  const seen = textOf(heard.body);
  const found = (name: string) => idOf(seen, name) ?? 'unknown';
  if (results.length === 0) {
    if (mail.includes('Find the')) return { calls: [{ name: 'search_mail', arguments: { query: 'flyer' } }] };
    if (mail.includes('the stolen one')) return attach(stolen.id);
    if (mail.includes('Attach flyer.pdf')) return attach(found('flyer.pdf'));
    if (mail.includes('Attach proof.pdf')) return attach(found('proof.pdf'));
    if (mail.includes('Mail it to Dora'))
      return asking(DORA, 'The flyer.', { attachments: [found('flyer.pdf'), found('proof.pdf')] });
  }
  if (mail.includes('Find the') && results.length > 0 && !results.at(-1)?.includes('"sha256"'))
    return attach(found('flyer.pdf'));
  return askingCarl(turn, mail, results);
};

beforeAll(async () => {
  rig.made = await openModelled(says);
  const sent = await carlAsked(made());
  await made().office.post({ from: CARL, ...inAnswerTo(sent), text: 'Done.', attachments: [pdf('proof.pdf', 'carl')] });
  await made().office.arrival('relay', MEMBER);
});
afterAll(() => rig.made?.close());

describe('an attachment by its id', () => {
  it('of the mail that is answered goes along with the answer', async () => {
    const { office } = made();
    await office.post({
      from: MEMBER,
      text: 'Attach flyer.pdf by its id.',
      subject: 'Back, please',
      attachments: [pdf('flyer.pdf', 'mine')],
    });
    const answer = await office.arrival('reply', MEMBER, 2);
    expect(carried(answer).map(({ filename, content }) => [filename, content])).toEqual([
      ['flyer.pdf', pdf('', 'mine').content],
    ]);
    expect(wordsOf(answer)).toContain('attached flyer.pdf');
    expect(answer.mail.text).not.toContain('att_');
  });

  it('of what came back in this thread stands in the history, and goes along in two model calls', async () => {
    const { office, model } = made();
    const note = await office.arrival('relay', MEMBER);
    const before = model.requests.length;
    await office.post({ from: MEMBER, ...inAnswerTo(note), text: 'Attach proof.pdf from above once more, please.' });
    const answer = await office.arrival('reply', MEMBER, 3);
    expect(promptOf('once more')).toMatch(
      /you have passed it on\][\s\S]{0,300}\[attachment att_\w+\] proof\.pdf, application\/pdf, 20 bytes/,
    );
    expect(carried(answer).map(({ content }) => content)).toEqual([pdf('', 'carl').content]);
    expect(model.requests.length - before).toBe(2);
  });

  it('of a mail that a search lists goes along', async () => {
    const { office } = made();
    await office.post({ from: MEMBER, subject: 'Again', text: 'Find the flyer and let me have it.' });
    const answer = await office.arrival('reply', MEMBER, 4);
    expect(carried(answer).map(({ content }) => content)).toEqual([pdf('', 'mine').content]);
  });

  it('of an owner’s mail reaches no member, by no way to name it', async () => {
    const { office, model } = made();
    await office.post({ text: 'Keep this.', subject: 'Wages', attachments: [pdf('wages.pdf', 'secret')] });
    await office.arrival('reply', OWNER);
    stolen.id = idOf(promptOf('Keep this.'), 'wages.pdf') ?? 'none';
    expect(stolen.id).toMatch(/^att_/);
    await office.post({ from: MEMBER, subject: 'It', text: 'Attach the stolen one.' });
    const answer = await office.arrival('reply', MEMBER, 5);
    expect(carried(answer)).toEqual([]);
    expect(wordsOf(answer)).toContain('Not done: attach a file');
    expect(answer.mail.text).not.toContain('wages');
    expect(
      model.requests
        .at(-1)
        ?.view.results.map(({ content }) => content)
        .join(),
    ).not.toContain('wages');
  });

  it('goes along with a mail to somebody else, whose question shows both by name', async () => {
    const { office } = made();
    const note = await office.arrival('relay', MEMBER);
    await office.post({
      from: MEMBER,
      ...inAnswerTo(note),
      text: 'Mail it to Dora, and this one.',
      attachments: [pdf('flyer.pdf', 'two')],
    });
    const question = await office.arrival('approval', OWNER, 2);
    expect(question.mail.text).toContain('flyer.pdf');
    expect(question.mail.text).toContain('proof.pdf');
    expect(question.mail.text).not.toContain('att_');
    await office.answer(question, 'yes');
    const mail = await office.arrival('reply', DORA);
    expect(carried(mail).map(({ filename, content }) => [filename, content])).toEqual([
      ['flyer.pdf', pdf('', 'two').content],
      ['proof.pdf', pdf('', 'carl').content],
    ]);
  });
});
