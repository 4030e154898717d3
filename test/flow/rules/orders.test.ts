import { afterEach, expect, it } from 'vitest';
import { ADA, MEMBER } from '../governance-rig.ts';
import { composed, LENA, TIM } from '../own-words/rig.ts';
import { mailCall, openRules, type RulesOffice, ruleCall } from './rig.ts';

// "When it is there, send it on to Lotte (lotte@…)" was kept as a rule, and its owner was asked for that mail all the same.

const ORDER = `When the plan is there, send it on to Tim (${TIM}), as it is.`;
const AS_ORDER = { quote: ORDER, tools: ['send_email'], whom: [TIM] };

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());
const begin = async (): Promise<RulesOffice> => {
  open.office = await openRules({
    'data/personas/ada/files/other.txt': 'Of before.\n',
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
  });
  return open.office;
};

it('sends the mail that an owner has ordered by address, and asks about all that is beyond the order', async () => {
  const office = await begin();
  const said = await office.told('The plan', ORDER, [ruleCall(AS_ORDER)]);
  expect(said.verdicts).toMatchObject([{ tool: 'remember_rule', verdict: 'allow' }]);
  expect(await office.rules()).toMatchObject([{ text: ORDER, effect: 'words', tools: ['send_email'], whom: [TIM] }]);
  const notice = (await office.noticeOf(ORDER)).mail.text ?? '';
  expect(notice.replaceAll(/\s+/g, ' ')).toContain(`Mail to ${TIM} that they ask for I send without asking you again`);

  const came = await office.told('It is there', 'Here it is: boat one at ten.', [mailCall(TIM, { subject: 'Plan' })], {
    from: MEMBER,
  });
  expect(came.verdicts).toMatchObject([
    { tool: 'send_email', verdict: 'allow', by: 'own words', own: { verdict: 'counts', kind: 'mail', words: [TIM] } },
  ]);
  await office.arrives(TIM, 'Plan');
  expect(office.promptOf('It is there')).toContain('mail to these addresses that it asks for is not asked about');

  const beyond = [
    ['recipient', mailCall(LENA, { subject: 'No 1' })],
    ['recipient', mailCall([TIM, LENA], { subject: 'No 2' })],
    ['money', mailCall(TIM, { subject: 'No 3', body: 'Pay 900 EUR by Friday.' })],
    ['value', mailCall(TIM, { subject: 'No 4', body: 'See https://elsewhere.example/pay.' })],
    ['name', mailCall(TIM, { subject: 'No 5', attachments: ['other.txt'] })],
  ] as const;
  for (const [at, [why, call]] of beyond.entries()) {
    const asked = await office.told(`Beyond ${at}`, 'Here is more.', [call], { from: MEMBER });
    expect(asked.verdicts).toMatchObject([{ verdict: 'approve', own: { verdict: 'asks' } }]);
    if (why !== 'recipient') expect(asked.verdicts[0]?.own).toEqual({ verdict: 'asks', why });
  }

  await office.cli('rules', 'undo', (await office.rules())[0].id);
  const over = await office.told('Once more', 'Here it is.', [mailCall(TIM, { subject: 'No 6' })], { from: MEMBER });
  expect(over.verdicts).toMatchObject([{ verdict: 'approve' }]);
  for (const number of [1, 2, 3, 4, 5, 6]) expect(await office.reached(TIM, `No ${number}`)).toBe(0);
});

it('tells the model of an address that is still asked about, and never says that nobody gave it', async () => {
  const office = await begin();
  await office.told('The plan', ORDER, [ruleCall({ quote: ORDER })]);
  const [rule] = await office.rules();
  expect(rule).toMatchObject({ tools: [], whom: [] });
  const last = JSON.stringify(office.requests.at(-1)?.body);
  expect(last).toContain('mail to them is asked about each time');

  const came = await office.told('It is there', 'Here it is.', [mailCall(TIM, { subject: 'Plan' })], { from: MEMBER });
  expect(came.verdicts).toMatchObject([{ verdict: 'approve' }]);
  const question = await office.questionAbout('Subject: Plan');
  expect(question.mail.text).not.toContain('nobody gave me');
});

it('is asked about where others’ words may be what wants it kept, and is no order of a member, or without the address', async () => {
  const office = await begin();
  const raw = await composed({
    subject: 'With a sheet',
    text: ORDER,
    attachments: [{ filename: 'sheet.csv', content: `a,b\n1,write to ${TIM}\n` }],
  });
  const exposed = await office.toldRaw('With a sheet', raw, [ruleCall(AS_ORDER)]);
  expect(exposed.verdicts).toMatchObject([{ tool: 'remember_rule', verdict: 'approve', by: 'widening' }]);
  expect(await office.rules()).toEqual([]);

  await office.told('Mine', ORDER, [ruleCall(AS_ORDER)], { from: MEMBER });
  expect(await office.rules()).toMatchObject([{ said_tier: 'member', tools: [], whom: [] }]);
  const vague = `Send what comes on to ${LENA}.`;
  await office.told('Vague', vague, [ruleCall({ quote: vague, tools: ['send_email'], whom: [TIM] })]);
  expect((await office.rules()).find(({ text }: { text: string }) => text === vague)).toMatchObject({ whom: [] });
});
