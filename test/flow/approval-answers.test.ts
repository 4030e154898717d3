import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADA, CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

const offices: Office[] = [];
afterEach(async () => {
  await Promise.all(offices.splice(0).map((office) => office.close()));
});

async function open(...options: Parameters<typeof openOffice>): Promise<Office> {
  const office = await openOffice(...options);
  offices.push(office);
  return office;
}

const DANA = 'dana@elsewhere.example';

async function whyOf(office: Office, messageId: string) {
  const { json } = await office.cli('why', messageId);
  return json.entries[0];
}

describe('answers that nobody can be sure of', () => {
  it('are each asked back about, with the question again, in the language of the answer; `why` says what was unclear', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const first = await office.answer(notice, 'Ja, wenn Tim einverstanden ist.\n\nViele Grüße\nMaria');
    const german = await office.arrival('clarify', OWNER);
    expect(german.mail.text).toContain(
      'Ich habe nichts getan: Ich konnte nicht erkennen, ob Ja oder Nein gemeint ist.',
    );
    expect(german.mail.text).toContain('eine Bedingung');
    expect(german.mail.text).toContain(CARL);
    expect(german.mail.headers.get('auto-submitted')).toBe('auto-generated');

    const second = await office.answer(notice, 'Hm, who is Carl and why does he get an offer?');
    const english = await office.arrival('clarify', OWNER, 2);
    expect(english.mail.text).toContain('I have done nothing: I could not tell whether you mean yes or no.');
    expect(english.mail.text).toContain('Your answer asks something.');
    expect(english.mail.inReplyTo).toBe(notice.mail.messageId);

    // The same mail once more is no third answer.
    await office.answer(notice, 'Yes or no?', { messageId: '<again@example.com>' });
    await office.arrival('clarify', OWNER, 3);
    await office.answer(notice, 'Yes or no?', { messageId: '<again@example.com>' });
    expect(await office.states()).toEqual(['pending']);

    expect(await whyOf(office, first)).toMatchObject({
      code: 'approval_answer',
      answer: { verdict: 'unclear', unclear: 'condition', items: [], asked_back: true },
      replies: [{ kind: 'clarify', message_id: german.mail.messageId }],
    });
    expect(await whyOf(office, second)).toMatchObject({ answer: { unclear: 'question' } });

    // The client answers the question itself, whose address carries no token.
    const yes = await office.answer(english, 'Yes, send it.\n\nSent from my iPhone', { to: ADA });
    await office.arrival('reply', CARL);
    await office.arrival('reply', MEMBER);
    expect(await whyOf(office, yes)).toMatchObject({
      answer: { verdict: 'approve', rules: ['yes, do it'], items: [{ number: 1, verdict: 'approve' }], unclear: null },
    });
    expect(await office.left('clarify')).toHaveLength(3);
  });
});

describe('several verbs in one answer', () => {
  const three = [mailTo(CARL, 'One'), mailTo(DANA, 'Two'), mailTo('eve@elsewhere.example', 'Three')].join('\n');
  const body = 'Dear Carl,\n\nhere is our new offer.\nPrice: 20 EUR\n\nThank you for waiting.';

  it('are all acted on: a yes, a no and an edit whose text has paragraphs that nobody indented', async () => {
    const office = await open();
    await office.ask(three);
    const notice = await office.arrival('approval');
    const answered = await office.answer(
      notice,
      `Hi Ada,\n\napprove 2\ndeny 3\nedit 1\nSubject: Better offer\nbody: ${body}\n\nBest regards\nMaria Keller\n`,
    );
    const edited = await office.arrival('approval', OWNER, 2);
    expect(edited.mail.text).toContain('Better offer');
    for (const line of body.split('\n')) expect(edited.mail.text).toContain(line);
    expect(edited.mail.text).not.toContain('Keller');
    expect(await office.states()).toEqual(['stale', 'approved', 'rejected', 'pending']);
    expect(await whyOf(office, answered)).toMatchObject({
      answer: {
        verdict: 'edit',
        items: [
          { number: 2, verdict: 'approve' },
          { number: 3, verdict: 'deny' },
          { number: 1, verdict: 'edit' },
        ],
      },
    });
    await office.answer(edited, 'ja');
    const sent = await office.arrival('reply', CARL);
    expect(sent.mail.subject).toBe('Better offer');
    expect(sent.mail.text).toContain(body);
    await office.arrival('reply', DANA);
    await office.arrival('reply', MEMBER);
    expect(await office.left('clarify')).toEqual([]);
  });

  it('are asked back about whole, and nothing of them is done, where one is in prose', async () => {
    const office = await open();
    await office.ask(three);
    const notice = await office.arrival('approval');
    await office.answer(notice, 'Approve 2. In number 1 please change the subject to "Spring offer".');
    const asked = await office.arrival('clarify', OWNER);
    expect(asked.mail.text).toContain('I have done nothing');
    for (const subject of ['One', 'Two', 'Three']) expect(asked.mail.text).toContain(subject);
    await office.answer(notice, 'yes to 1, no to 2');
    await office.arrival('clarify', OWNER, 2);
    expect(await office.states()).toEqual(['pending', 'pending', 'pending']);
  });
});

describe('an answer to what is decided already', () => {
  it('is told when it was decided and what came of it', async () => {
    const office = await open({
      'configs/security.json': { owners: [OWNER, 'second@example.com'], approvals: { batch_window_s: 0 } },
    });
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    await office.answer(notice, 'approve');
    await vi.waitFor(async () => expect(await office.states()).toEqual(['executed']), {
      timeout: 90_000,
      interval: 250,
    });
    const late = await office.answer(notice, 'Nein, lieber nicht.', { from: 'second@example.com' });
    const told = await office.arrival('clarify', 'second@example.com');
    expect(told.mail.text).toMatch(
      /^Darf ich „[^“]+“ an carl@\S+ senden\?\s+Das wurde um \d\d:\d\d genehmigt und ist erledigt\. \(owner@example\.com\)/,
    );
    const own = await office.answer(notice, 'Yes, approved.');
    const again = await office.arrival('clarify', OWNER);
    expect(again.mail.text).toMatch(/^May I send "[^"]+" to carl@\S+\?\s+This was approved at \d\d:\d\d and done\./);
    expect(await whyOf(office, late)).toMatchObject({
      answer: { verdict: 'late', items: [{ number: 1, verdict: 'deny' }] },
    });
    expect(await whyOf(office, own)).toMatchObject({ answer: { verdict: 'late', asked_back: true } });
    expect(await office.left('reply', CARL)).toHaveLength(1);
  });
});
