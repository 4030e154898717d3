import { afterEach, expect, it } from 'vitest';
import { doing, type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const BOB = 'bob@elsewhere.example';

it('R14: a moved meeting is named by its title below the answer, and not by the time that was given', async () => {
  const made = await openModelled(
    (_, mail, results) => {
      if (results.length > 0) return { text: 'It is arranged.' };
      const id = /invitation (inv_[0-9a-f]{12})/.exec(mail)?.[1];
      const first = { to: [BOB], title: 'Pump order', start: '2100-03-02T10:00', duration_min: 45 };
      if (mail.includes('Please invite Bob')) return { calls: [{ name: 'invite', arguments: first }] };
      return { calls: [{ name: 'invite', arguments: { id: id ?? '', start: '2100-03-02T11:30' } }] };
    },
    { 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [OWNER], timezone: 'Europe/Berlin' } },
  );
  open.made = made;
  await made.office.ask('Please invite Bob for Tuesday at ten.', OWNER, 'A meeting');
  await made.office.answer(await made.office.arrival('approval', OWNER), 'yes');
  const first = await made.office.arrival('reply', OWNER);
  await made.office.post({
    subject: 'Re: A meeting',
    text: 'Move the meeting to half past eleven.',
    inReplyTo: first.mail.messageId ?? '',
    references: [first.mail.messageId ?? ''],
  });
  await made.office.answer(await made.office.arrival('approval', OWNER, 2), 'yes');
  const moved = await made.office.arrival('reply', OWNER, 2);
  expect(moved.mail.text).toContain(`Done: mail to ${BOB} "Pump order"`);
  expect(moved.mail.text).not.toContain('2100-03-02T11:30');
});

it('whoever is invited reads it in the language in which they write, and its calendar file has a name', async () => {
  const made = await openModelled(
    (turn, mail) => {
      if (turn > 0 || !mail.includes('Invite la cliente')) return { text: 'Obrigada.' };
      const meeting = { to: [MEMBER], title: 'Catálogo', start: '2100-03-02T15:00', duration_min: 30 };
      return { calls: [{ name: 'invite', arguments: meeting }] };
    },
    {
      'personas/ada/persona.json': {
        ...{ name: 'Ada', address: ADA, owners: [OWNER], access: { allow: [MEMBER] } },
        ...{ timezone: 'Europe/Berlin', language: 'fr' },
      },
    },
  );
  open.made = made;
  const portuguese =
    'Bom dia, gostaria de marcar uma reunião consigo na quarta-feira para falarmos sobre o catálogo novo.';
  await made.office.ask(portuguese, MEMBER, 'Reunião');
  await made.office.arrival('reply', MEMBER);
  await made.office.ask(
    'Invite la cliente pour mardi à quinze heures, s’il vous plaît, pour parler du catalogue.',
    OWNER,
  );
  const question = await made.office.arrival('approval', OWNER);
  expect(question.mail.text).toContain('Puis-je');
  await made.office.answer(question, 'oui');
  const { mail } = await made.office.arrival('reply', MEMBER, 2);
  expect(mail.subject).toBe('Convite: Catálogo');
  expect(mail.text).toContain('Convite de Ada para esta reunião.');
  expect(mail.text).not.toMatch(/Réunion|invite|vous|Assistant/);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['invite.ics']);
});

const ROOMS = {
  'extensions/tools/book/manifest.json': { name: 'book', kind: 'tool', api: 1, summary: 'Books', entry: 'index.js' },
  'extensions/tools/book/index.js': `export default {
    description: 'Books a room.', risk: 'write', scope: 'schedule:write',
    input: { type: 'object', required: ['room', 'from', 'to', 'account'], additionalProperties: false, properties: {
      room: { type: 'string' }, from: { type: 'string' }, to: { type: 'string' }, account: { type: 'string' } } },
    run: ({ room }) => ({ room }),
  };`,
};

it('R13: the end of a time is no account that the persona made up; an account is', async () => {
  const booking = { room: 'Alster', from: '14:00', to: '16:00', account: 'DE02120300000000202051' };
  const made = await openModelled((turn) => {
    if (turn === 0) return { calls: [{ name: 'read_file', arguments: { path: 'rooms.txt' } }] };
    return turn === 1 ? { calls: [{ name: 'book', arguments: booking }] } : { text: 'It is booked.' };
  }, ROOMS);
  open.made = made;
  made.put('rooms.txt', 'The rooms are Alster and Elbe.');
  await made.office.ask('Please book Alster from 14 to 16.', OWNER);
  const { mail } = await made.office.arrival('approval', OWNER);
  expect(mail.text).toContain('Alster');
  expect(mail.text).toMatch(
    /Please check: in this conversation, nobody gave me DE02120300000000202051\. I put it in myself\./,
  );
  expect(mail.text).not.toMatch(/nobody gave me 1[46]:00/);
});

it('F1: three calls of one turn that fail do not end the run: the model hears of each, and says what it has', async () => {
  const looks = ['orders.csv', 'stock.xlsx', 'prices.md'].map((path) => ({ name: 'read_file', arguments: { path } }));
  const made = await openModelled(doing(...looks));
  open.made = made;
  await made.office.ask('What does our offer say?', OWNER);
  const { mail } = await made.office.arrival('reply', OWNER);
  expect(mail.text).toContain('Thank you for your mail.');
  expect(mail.text).not.toContain('several steps failed in a row');
  expect(made.told().match(/not_found/g)).toHaveLength(3);
  expect((await made.office.cli('runs', 'list')).json.runs[0]).toMatchObject({ outcome: 'final', model_calls: 2 });
});
