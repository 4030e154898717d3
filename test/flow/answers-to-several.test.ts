import { afterAll, expect, it } from 'vitest';
import { type HeardRequest, type Turn, writtenIn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const FLIGHT = 'my flight to Oslo is at 9';
const SIGN = 'From now on sign with Ahoy';

const BEN = 'ben@member.example';
const SECRET = 'our limit is 4242';
const SHARED = 'the fair begins on 3 May';
/** Every way by which earlier mail is looked at. */
const LOOKS = [
  { name: 'search_mail', arguments: { query: 'limit fair' } },
  { name: 'read_mail', arguments: { message_id: '<alone@member.example>' } },
  { name: 'read_mail', arguments: { message_id: '<both@member.example>' } },
];

/** It keeps what it is asked to keep, and says what it has just read. */
function answer({ view }: HeardRequest): Turn {
  if (view.results.length > 0) return { text: 'Noted.' };
  const mail = writtenIn(view.lastUser);
  if (mail.includes('Look it up')) return { calls: LOOKS };
  const quote = [FLIGHT, SIGN].find((words) => mail.includes(`Remember: ${words}`));
  if (quote === undefined) return { text: 'It is in your mail.' };
  const kind = quote === SIGN ? 'instruction' : 'plan';
  return { calls: [{ name: 'remember', arguments: { text: quote, quote, kind } }] };
}

async function opened() {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/security.json': { owners: [OWNER], loop_guard: { max_fast_replies: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      memory: { facts: true, recall: true },
      reply: { recipients: 'all' },
    },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  return { model, office };
}

it('an answer that others get as well rests on nothing that is remembered of its sender alone', async () => {
  const { model, office } = await opened();
  await office.ask(`Remember: ${FLIGHT}`, MEMBER, 'Travelling');
  await office.ask(`Remember: ${SIGN}`, MEMBER, 'Manners');

  /** All that the model was shown with a mail about the flight. */
  const shownWith = async (text: string, cc: string[], answers: number): Promise<string> => {
    await office.post({ from: MEMBER, cc, subject: 'Oslo', text });
    await office.arrival('reply', MEMBER, answers);
    return JSON.stringify(model.requests.find(({ body }) => JSON.stringify(body).includes(text))?.body);
  };

  await office.later();
  const alone = await shownWith('When is the flight to Oslo, for me?', [], 3);
  expect(alone).toContain(`\\"${FLIGHT}\\"`);
  expect(alone).toContain('Earlier mail with words of the mail above');
  expect(alone).not.toContain('Your answer goes to');

  const withOwner = await shownWith('When is the flight to Oslo, dear owner?', [OWNER], 4);
  expect(withOwner).toContain(`\\"${FLIGHT}\\"`);

  const withBen = await shownWith('When is the flight to Oslo, for Ben and me?', ['ben@member.example'], 5);
  expect((await office.left('reply', 'ben@member.example')).at(-1)?.mail.text).toContain('It is in your mail.');
  expect(withBen).not.toContain(FLIGHT);
  expect(withBen).not.toContain('Earlier mail with words of the mail above');
  expect(withBen).toContain('Your answer goes to one other address in To and Cc of this mail, too.');
  expect(withBen).toContain(SIGN);
});

it('for an answer that others get as well only what all of them were sent is shown, found and opened', async () => {
  const { model, office } = await opened();
  const letter = (id: string, text: string, cc: string[] = [], answers?: string) =>
    office.post({
      from: MEMBER,
      cc,
      messageId: id,
      subject: 'The fair',
      text,
      ...(answers ? { inReplyTo: answers } : {}),
    });
  await letter('<both@member.example>', `For all: ${SHARED}.`, [BEN]);
  await office.arrival('reply', MEMBER);
  await letter('<alone@member.example>', `Between us: ${SECRET}. Look it up.`, [], '<both@member.example>');
  await office.arrival('reply', MEMBER, 2);

  /** All that the model was shown while it answered a mail with these words, and what it could do. */
  const shownWith = async (id: string, text: string, cc: string[], count: number): Promise<string> => {
    await letter(id, text, cc, '<alone@member.example>');
    await office.arrival('reply', MEMBER, count);
    const asked = model.requests.filter(({ view }) => view.lastUser.includes(text));
    expect(asked).toHaveLength(2);
    return asked.map(({ body }) => JSON.stringify((body as { readonly messages: unknown }).messages)).join('\n');
  };

  const withBen = await shownWith('<ben@member.example>', 'Ben reads this. Look it up.', [BEN], 3);
  expect(withBen).toContain(SHARED);
  expect(withBen).toContain('there is no such mail among those that this sender may see');
  expect(withBen).toContain('Messages in this thread, this one included: 3');
  expect(withBen).not.toMatch(/4242|Between us/);
  // The answer to the first of them, which went to both, and nothing of what was said between two.
  expect((await office.left('reply', BEN)).map(({ mail }) => mail.inReplyTo)).toEqual([
    '<both@member.example>',
    '<ben@member.example>',
  ]);

  const alone = await shownWith('<again@member.example>', 'Only I read this. Look it up.', [], 4);
  expect(alone).toContain(SECRET);
  const withOwner = await shownWith('<owner@member.example>', 'The owner reads this. Look it up.', [OWNER], 5);
  expect(withOwner).toContain(SECRET);
});
