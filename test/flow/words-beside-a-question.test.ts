import { afterEach, describe, expect, it } from 'vitest';
import { openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

// Who wrote is not kept in silence while an owner thinks: what the model writes beside its question leaves at once.

const open: { close?: () => Promise<void> } = {};
afterEach(() => open.close?.());

const SO_FAR = 'I am sorry. I have asked whether your bicycle is ready, and write as soon as I know.';
const dyingAt = (label: string) => ({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });

async function workshop(beside: string) {
  const made = await openModelled(
    (turn, _, results) =>
      turn === 0
        ? { text: beside, calls: [{ name: 'ask_owner', arguments: { question: 'Is it ready on Friday?' } }] }
        : { text: results.join(' ').includes('Yes, at four') ? 'It is ready at four on Friday.' : 'Nobody knows yet.' },
    {
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, answer: 'now' } },
      'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
    },
  );
  open.close = made.close;
  return made;
}

describe('a mail whose answer waits for what only the owner knows', () => {
  it('is answered with what there is, once, and with the rest, once, whenever the process is killed', async () => {
    const { office } = await workshop(SO_FAR);
    const died = async (label: string, meanwhile: () => Promise<unknown> = async () => {}) => {
      const dying = await office.launch(dyingAt(label));
      // It may die before it has said that it took the mail.
      await Promise.allSettled([meanwhile()]);
      await dying.death();
    };
    await office.stop();
    await died('run.event.answered_so_far', () => office.ask('Where is my bicycle?', MEMBER, 'Bicycle'));
    await office.restart({});
    const soFar = await office.arrival('reply', MEMBER);
    expect(soFar.mail.text).toContain(SO_FAR);
    const question = await office.arrival('clarify', OWNER);
    expect(await office.left('wait', MEMBER)).toEqual([]);
    await office.stop();
    await died('run.event.reply_committed', () => office.answer(question, 'Yes, at four.'));
    await office.restart({});
    await office.arrival('reply', MEMBER, 2);
    const [first, rest] = await office.left('reply', MEMBER);
    expect(first?.mail.messageId).toBe(soFar.mail.messageId);
    expect(rest?.mail.text).toContain('It is ready at four on Friday.');
    expect(rest?.mail.text).not.toContain(SO_FAR);
    expect(rest?.mail.inReplyTo).toBe(soFar.mail.inReplyTo);
    const [run] = (await office.cli('runs', 'list')).json.runs;
    expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  });

  it('is told to wait as before where the model has no words for it', async () => {
    const { office } = await workshop('');
    await office.ask('Where is my bicycle?', MEMBER, 'Bicycle');
    await office.arrival('wait', MEMBER);
    expect(await office.left('reply', MEMBER)).toEqual([]);
    await office.answer(await office.arrival('clarify', OWNER), 'Yes, at four.');
    expect((await office.arrival('reply', MEMBER)).mail.text).toContain('It is ready at four on Friday.');
  });

  it('has the rest when the owner has said it, also where the model has begun what needs a yes', async () => {
    const made = await openModelled(
      (turn) =>
        [
          { text: SO_FAR, calls: [{ name: 'ask_owner', arguments: { question: 'Is it ready on Friday?' } }] },
          {
            calls: [
              {
                name: 'send_email',
                arguments: { to: ['bob@elsewhere.example'], subject: 'Bicycle', body: 'Please bring the chain.' },
              },
            ],
          },
          { text: 'It is ready at four on Friday.' },
        ][turn] ?? { text: 'That is all.' },
      {
        'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, answer: 'now' } },
        'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
      },
    );
    open.close = made.close;
    const { office } = made;
    await office.ask('Where is my bicycle?', MEMBER, 'Bicycle');
    await office.arrival('reply', MEMBER);
    await office.answer(await office.arrival('clarify', OWNER), 'Yes, at four.');
    await office.arrival('reply', MEMBER, 2);
    const question = await office.arrival('approval', OWNER);
    const [, rest] = await office.left('reply', MEMBER);
    expect(rest?.mail.text).toContain('It is ready at four on Friday.');
    expect(await office.left('reply', 'bob@elsewhere.example')).toEqual([]);
    await office.answer(question, 'Yes');
    await office.arrival('reply', MEMBER, 3);
    expect(await office.left('reply', 'bob@elsewhere.example')).toHaveLength(1);
    for (const { id } of (await office.cli('runs', 'list')).json.runs) {
      expect((await office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
    }
  });
});

it('a mail to a bare name is refused before an owner is asked about it', async () => {
  const mail = { to: ['Milan Horvat'], subject: 'Parcel', body: 'Please pack it.' };
  const made = await openModelled(
    (turn) =>
      turn === 0 ? { calls: [{ name: 'send_email', arguments: mail }] } : { text: 'I have no address of his.' },
    { 'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } } },
  );
  open.close = made.close;
  await made.office.ask('Tell Milan to pack it.', MEMBER, 'Parcel');
  expect((await made.office.arrival('reply', MEMBER)).mail.text).toContain('I have no address of his.');
  expect(made.told()).toContain('Milan Horvat is not an address that mail can be sent to');
  expect(await made.office.left('approval', OWNER)).toEqual([]);
});
