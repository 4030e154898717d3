import { afterEach, describe, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, type Office, OWNER, openOffice, type Sent } from './governance-rig.ts';
import { onceRecorded } from './record.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterEach(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

async function officeWith(script: (request: HeardRequest) => Turn) {
  const model = await startFakeModel('openai', script);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  return { office, model };
}

/** Goes on with a mail of the persona, as somebody who got it would. */
const goOn = (office: Office, mail: Sent, text: string, from: string, messageId: string) =>
  office.post({
    from,
    text,
    messageId,
    subject: `Re: ${mail.mail.subject}`,
    inReplyTo: mail.mail.messageId ?? '',
    references: [mail.mail.messageId ?? ''],
  });

const whyOf = async (office: Office, id: string) => (await office.cli('why', id)).json.entries[0];
const notices = async (office: Office) =>
  (await office.left('notice', OWNER)).filter(({ mail }) => mail.subject?.includes('I leave'));

describe('a conversation that a person has taken', () => {
  it('by mail of an owner in it: nobody is answered in it, its mail is kept, owners hear of it once, and giving it back ends it', async () => {
    const { office, model } = await officeWith(() => ({ text: 'The answer.' }));
    await office.ask('What does the oak table cost?', MEMBER, 'Oak table');
    const reply = await office.arrival('reply', MEMBER);
    // Nobody but an owner takes anything.
    await goOn(office, reply, 'I take over\nMia', MEMBER, '<mia2@member.example>');
    await office.arrival('reply', MEMBER, 2);

    await goOn(office, reply, 'I take over.\n\nDear Mia, it is 900 EUR.', OWNER, '<take@example.com>');
    await onceRecorded(office.root, async () =>
      expect(await whyOf(office, '<take@example.com>')).toMatchObject({
        decision: 'recorded',
        code: 'taken_by_person',
      }),
    );
    const asked = model.requests.length;
    await goOn(office, reply, 'And the bench?', MEMBER, '<mia3@member.example>');
    await onceRecorded(office.root, async () =>
      expect(await whyOf(office, '<mia3@member.example>')).toMatchObject({ code: 'taken_by_person', run: null }),
    );
    // Somebody who only has its Message-ID gets no answer of the persona either.
    await goOn(office, reply, 'I am new here.', 'bob@member.example', '<bob@member.example>');
    await onceRecorded(office.root, async () =>
      expect(await whyOf(office, '<bob@member.example>')).toMatchObject({ code: 'taken_by_person' }),
    );
    expect(model.requests).toHaveLength(asked);
    expect(await office.left('reply')).toHaveLength(2);
    const told = await notices(office);
    expect(told.map(({ mail }) => mail.subject)).toEqual([
      expect.stringContaining('I leave "Oak table" to you'),
      expect.stringContaining('to you'),
    ]);
    expect(told[0]?.mail.text).toContain(`${OWNER} answers in it`);

    const taken = (await office.cli('threads', 'list')).json.threads.find(
      ({ message_count: mails }: { message_count: number }) => mails > 2,
    );
    expect(taken).toMatchObject({ taken_by: OWNER, message_count: 6 });

    await goOn(office, reply, 'Back to you\n\nPlease answer Mia.', OWNER, '<give@example.com>');
    await office.arrival('reply', OWNER);
    // What was written meanwhile is in the conversation.
    expect(JSON.stringify(model.requests.at(-1)?.view)).toContain('And the bench?');
    await goOn(office, reply, 'Thanks', MEMBER, '<mia4@member.example>');
    await office.arrival('reply', MEMBER, 3);
    const { audit } = (await office.cli('audit', '--limit', '50')).json;
    expect(
      audit
        .filter(({ event }: { event: string }) => event.startsWith('thread_'))
        .map((one: { event: string; actor: string }) => `${one.event} ${one.actor}`)
        .toReversed(),
    ).toEqual([`thread_taken ${OWNER}`, `thread_given ${OWNER}`]);
  });

  it('by command: a run that is under way ends without a mail, and the answer that its notice asks for gives it back', async () => {
    const held = Promise.withResolvers<void>();
    const { office, model } = await officeWith(({ view }) =>
      view.lastUser.includes('slowly') ? { text: 'The answer.', until: held.promise } : { text: 'The answer.' },
    );
    await office.post({ from: MEMBER, subject: 'Slow', text: 'Answer slowly', messageId: '<slow@member.example>' });
    await onceRecorded(office.root, () => expect(model.requests).toHaveLength(1));
    const [{ id }] = (await office.cli('threads', 'list')).json.threads;
    const taken = await office.cli('threads', 'take', id, '--by', 'olga@example.com');
    expect(taken.json.thread).toMatchObject({ id, taken_by: 'olga@example.com' });
    held.resolve();
    await onceRecorded(office.root, async () =>
      expect((await whyOf(office, '<slow@member.example>')).run).toMatchObject({
        status: 'done',
        outcome: 'silent:taken_by_person',
      }),
    );
    expect(await office.left('reply')).toEqual([]);
    const [{ id: runId }] = (await office.cli('runs', 'list')).json.runs;
    expect((await office.cli('runs', 'replay', runId)).code).toBe(0);

    await office.post({
      from: MEMBER,
      subject: 'Re: Slow',
      text: 'Are you there?',
      messageId: '<there@member.example>',
      inReplyTo: '<slow@member.example>',
      references: ['<slow@member.example>'],
    });
    const [notice] = await onceRecorded(office.root, async () => {
      const found = await notices(office);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(notice?.mail.text).toContain('olga@example.com answers in it');
    expect(notice?.mail.text?.match(/back to you/g)).toHaveLength(1);
    expect(notice?.mail.text).not.toContain('again');
    await office.answer(notice as Sent, 'Back to you');
    await onceRecorded(office.root, async () =>
      expect((await office.cli('threads', 'show', id)).json.thread).toMatchObject({ taken_by: null }),
    );
    await office.post({
      from: MEMBER,
      subject: 'Re: Slow',
      text: 'And now?',
      messageId: '<now@member.example>',
      inReplyTo: '<slow@member.example>',
      references: ['<slow@member.example>'],
    });
    await office.arrival('reply', MEMBER);
    expect((await office.cli('threads', 'give', id)).json.thread).toMatchObject({ taken_by: null });
    expect((await office.cli('threads', 'take', 'nothing')).code).toBe(1);
  });
});
