import { afterAll, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const FLIGHT = 'my flight to Oslo is at 9';
const SIGN = 'From now on sign with Ahoy';

/** It keeps what it is asked to keep, and says what it has just read. */
function answer({ view }: HeardRequest): Turn {
  if (view.results.length > 0) return { text: 'Noted.' };
  const mail = view.lastUser.slice(view.lastUser.indexOf('What the sender wrote now'));
  const quote = [FLIGHT, SIGN].find((words) => mail.includes(`Remember: ${words}`));
  if (quote === undefined) return { text: 'It is in your mail.' };
  const kind = quote === SIGN ? 'instruction' : 'plan';
  return { calls: [{ name: 'remember', arguments: { text: quote, quote, kind } }] };
}

it('an answer that others get as well rests on nothing that is remembered of its sender alone', async () => {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': {
      ...{ name: 'Ada', address: 'ada@agents.localhost', access: { allow: ['*@member.example'] } },
      ...{ memory: { facts: true, recall: true }, reply: { recipients: 'all' } },
    },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  await office.ask(`Remember: ${FLIGHT}`, MEMBER, 'Travelling');
  await office.ask(`Remember: ${SIGN}`, MEMBER, 'Manners');

  /** All that the model was shown with a mail about the flight. */
  const shownWith = async (text: string, cc: string[], answers: number): Promise<string> => {
    await office.post({ from: MEMBER, cc, subject: 'Oslo', text });
    await office.arrival('reply', MEMBER, answers);
    return JSON.stringify(model.requests.find(({ body }) => JSON.stringify(body).includes(text))?.body);
  };

  const alone = await shownWith('When is the flight to Oslo, for me?', [], 3);
  expect(alone).toContain(`\\"${FLIGHT}\\"`);
  expect(alone).toContain('From earlier mail; may be incomplete');
  expect(alone).not.toContain('Your answer goes to');

  const withOwner = await shownWith('When is the flight to Oslo, dear owner?', [OWNER], 4);
  expect(withOwner).toContain(`\\"${FLIGHT}\\"`);

  const withBen = await shownWith('When is the flight to Oslo, for Ben and me?', ['ben@member.example'], 5);
  expect((await office.left('reply', 'ben@member.example')).at(-1)?.mail.text).toContain('It is in your mail.');
  expect(withBen).not.toContain(FLIGHT);
  expect(withBen).not.toContain('From earlier mail');
  expect(withBen).toContain('Your answer goes to one other address in To and Cc of this mail, too.');
  expect(withBen).toContain(SIGN);
});
