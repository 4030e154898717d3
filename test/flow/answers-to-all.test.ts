import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

const MAX = 'max@member.example';
const LEA = 'lea@member.example';
const EVE = 'eve@elsewhere.example';

const FIRST = '<first@member.example>';
const ALONE = '<alone@member.example>';
const SHARED = 'The fair begins on 3 May';
const SECRET = 'our limit is 4242';

const open: { modelled: Modelled | null } = { modelled: null };
beforeAll(async () => {
  open.modelled = await openModelled(
    (turn, mail) =>
      // Whoever asks to look has everything looked through that the tools reach.
      turn === 0 && mail.includes('Look it up')
        ? {
            calls: [
              { name: 'search_mail', arguments: { query: 'limit fair' } },
              { name: 'read_mail', arguments: { message_id: ALONE } },
              { name: 'read_mail', arguments: { message_id: FIRST } },
            ],
          }
        : { text: mail.includes(SECRET) ? `Understood: ${SECRET}.` : 'Noted.' },
    {
      // Nobody here takes a minute to answer.
      'configs/security.json': { owners: [OWNER], loop_guard: { max_fast_replies: 0 } },
      'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
    },
  );
});
afterAll(() => open.modelled?.close());

function modelled(): Modelled {
  if (!open.modelled) throw new Error('not open');
  return open.modelled;
}

interface Written {
  readonly from: string;
  readonly id: string;
  readonly text: string;
  readonly cc?: readonly string[];
  readonly answers?: readonly string[];
}

const letter = ({ from, id, text, cc = [], answers = [] }: Written): string =>
  [
    ...[`From: ${from}`, `To: ${ADA}`, ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : [])],
    ...['Subject: The fair', `Message-ID: ${id}`, 'Date: Sat, 21 Nov 2026 12:00:00 +0000'],
    ...(answers.length > 0 ? [`In-Reply-To: ${answers.at(-1)}`, `References: ${answers.join(' ')}`] : []),
    ...['', text, ''],
  ].join('\r\n');

const post = (mail: Written) => modelled().office.post({ from: mail.from, raw: letter(mail) });

const threadOf = async (id: string): Promise<string> =>
  (await modelled().office.cli('why', id)).json.entries[0].thread_id;

/** All that the model was sent while it answered a mail with these words. */
const shownWith = (text: string): string =>
  modelled()
    .model.requests.filter(({ view }) => view.lastUser.includes(text))
    .map(({ body }) => JSON.stringify((body as { readonly messages: unknown }).messages))
    .join('\n');

it('a member who stands in Cc and answers to all goes on in the conversation, with the mails that named them', async () => {
  const { office } = modelled();
  await post({ from: MEMBER, id: FIRST, text: `${SHARED}.`, cc: [MAX, EVE] });
  const answer = await office.arrival('reply', MEMBER);
  await post({
    from: MEMBER,
    id: ALONE,
    text: `Between us: ${SECRET}.`,
    answers: [FIRST, answer.mail.messageId ?? ''],
  });
  await office.arrival('reply', MEMBER, 2);

  // Knowing a Message-ID is no part in a thread: of a mail that named others, or of an answer that went to others.
  const knows = [ALONE, answer.mail.messageId ?? ''];
  await post({ from: MAX, id: '<guess@member.example>', text: 'I guessed.', answers: knows });
  await office.arrival('reply', MAX);
  await post({ from: LEA, id: '<lea@member.example>', text: 'I was not named.', answers: [FIRST, ALONE] });
  await office.arrival('reply', LEA);
  const thread = await threadOf(FIRST);
  expect(await threadOf('<guess@member.example>')).not.toBe(thread);
  expect(await threadOf('<lea@member.example>')).not.toBe(thread);
  for (const text of ['I guessed.', 'I was not named.']) {
    expect(shownWith(text)).not.toMatch(/4242|3 May/);
  }

  await post({
    from: MAX,
    id: '<all@member.example>',
    text: 'I come, too. Look it up.',
    answers: [FIRST],
    cc: [MEMBER],
  });
  const reply = await office.arrival('reply', MAX, 2);
  expect(await threadOf('<all@member.example>')).toBe(thread);
  expect(reply.mail.inReplyTo).toBe('<all@member.example>');
  const shown = shownWith('I come, too.');
  expect(shown).toContain(SHARED);
  expect(shown).toContain('Messages in this thread, this one included: 2');
  expect(shown).toContain('there is no such mail among those that this sender may see');
  expect(shown).not.toMatch(/4242|Understood/);

  // From now on they take part, and hear no more than before.
  const further = reply.mail.messageId ?? '';
  await post({ from: MAX, id: '<more@member.example>', text: 'And when exactly?', answers: [FIRST, further] });
  await office.arrival('reply', MAX, 3);
  expect(await threadOf('<more@member.example>')).toBe(thread);
  expect(shownWith('And when exactly?')).toContain('I come, too.');
  expect(shownWith('And when exactly?')).not.toMatch(/4242|Understood/);

  // What Max wrote to all is Mia's to see, and the owner sees the whole of it.
  await post({ from: MEMBER, id: '<mia@member.example>', text: 'Who comes?', answers: [FIRST] });
  await office.arrival('reply', MEMBER, 3);
  expect(shownWith('Who comes?')).toContain('I come, too.');
  expect(shownWith('Who comes?')).not.toContain('And when exactly?');
  await post({ from: OWNER, id: '<owner@example.com>', text: 'What is it about?', answers: [FIRST] });
  await office.arrival('reply', OWNER);
  expect(shownWith('What is it about?')).toMatch(/4242[\s\S]*And when exactly/);
});

it('a stranger in Cc, whoever was in Bcc alone and who claims to be a member stay out', async () => {
  const { office } = modelled();
  const open = '<open@member.example>';
  await post({ from: MEMBER, id: open, text: 'A word on the stand.', cc: [MAX, EVE] });
  await office.arrival('reply', MEMBER, 4);
  const thread = await threadOf(open);

  // A mail client of somebody in Bcc answers with the same references.
  await post({ from: LEA, id: '<bcc@member.example>', text: 'I had it in Bcc.', answers: [open], cc: [MEMBER] });
  await office.arrival('reply', LEA, 2);
  expect(await threadOf('<bcc@member.example>')).not.toBe(thread);
  expect(shownWith('I had it in Bcc.')).not.toContain('A word on the stand');

  const eve = { from: EVE, id: '<eve@elsewhere.example>', text: 'Let me in.', answers: [open] };
  await expect(post(eve)).rejects.toThrow(/550/);
  const forged = join(office.root, 'forged.eml');
  writeFileSync(forged, letter({ from: MAX, id: '<forged@member.example>', text: 'Let me in.', answers: [open] }));
  const told = await office.cli('deliver', forged, '--from', MAX, '--to', ADA);
  expect(told.json.results[0]).toMatchObject({ decision: 'refused', thread_id: null });
  expect(shownWith('Let me in.')).toBe('');
});
