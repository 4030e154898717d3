import { afterEach, expect, it } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { TIM } from '../own-words/rig.ts';
import { openRules, type RulesOffice, ruleCall } from './rig.ts';
import { COPIES, DENIALS, type Said, UNASKED, WORDS } from './sixty.ts';

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());

/** A day that is less than a week away, whenever the test runs. */
const friday = (): string => new Date(Date.now() + 4 * 86_400_000).toISOString().slice(0, 10);

/** What a model makes of the sentence. */
const wantedOf = ({ mail, wanted }: Said) => ({
  quote: mail,
  ...wanted,
  ...(wanted.until === undefined ? {} : { until: friday() }),
});

/** Says it, answers the question where there is one, and looks at the rule. */
async function say(office: RulesOffice, said: Said, number: string) {
  const { run, verdicts } = await office.told(`Rule ${number}`, said.mail, [ruleCall(wantedOf(said))]);
  const verdict = said.holds === 'at once' ? 'allow' : 'approve';
  expect(verdicts, said.mail).toMatchObject([{ tool: 'remember_rule', verdict }]);
  if (said.holds === 'after a yes') {
    expect(await office.rules(), `${said.mail} holds before the yes`).toEqual([]);
    const question = await office.yes(said.mail);
    for (const one of said.wanted.whom ?? []) expect(question.mail.text).toContain(one);
  }
  await expect.poll(() => office.rules(), { timeout: 90_000 }).toHaveLength(1);
  const [rule] = await office.rules();
  expect(rule).toMatchObject({
    text: said.mail,
    effect: said.wanted.effect ?? 'words',
    state: 'in_force',
    said_by: OWNER,
  });
  expect(rule.until === null).toBe(said.wanted.until === undefined);
  return { rule, run };
}

/** The mail after it: what stands in its prompt, and what becomes of its call. */
async function next(office: RulesOffice, said: Said, { rule, run }: Awaited<ReturnType<typeof say>>, number: string) {
  const { probe, wanted } = said;
  const subject = `Next ${number}`;
  const thread = wanted.for === 'thread' ? { inReplyTo: run.message_id, references: [run.message_id] } : {};
  const found = await office.told(subject, `Please do it now for ${TIM}.`, probe ? [probe.call] : [], thread);
  const isShown = wanted.for !== TIM || wanted.effect === 'cc';
  expect(office.promptOf(subject).includes(JSON.stringify(said.mail)), said.mail).toBe(isShown);
  if (probe === undefined) return;
  const verdict = probe.is === 'denied' ? 'deny' : 'allow';
  const by = probe.is === 'copied' ? 'own words' : `standing rule ${rule.id}`;
  expect(found.verdicts, said.mail).toMatchObject([{ tool: probe.call.name, verdict, by }]);
  if (probe.is === 'copied') await office.copied(wanted.whom?.[0] ?? '');
}

/** As an owner ends one: by an answer to the mail that told of it, or by a command. */
async function end(office: RulesOffice, said: Said, id: string, at: number) {
  if (at % 5 === 0) {
    const told = (await office.left('notice', OWNER)).findLast(({ mail }) => mail.text?.includes(said.mail));
    await office.answer(told as never, 'undo');
  } else await office.cli('rules', at % 2 === 0 ? 'remove' : 'undo', id);
  await expect.poll(() => office.rules(), { timeout: 90_000 }).toEqual([]);
  expect((await office.cli('rules', 'show', id)).json.rule).toMatchObject({ state: 'ended', text: said.mail });
}

const GROUPS = { words: WORDS, denials: DENIALS, unasked: UNASKED, copies: COPIES };
it('counts sixty', () => expect(Object.values(GROUPS).flat()).toHaveLength(60));

for (const [name, all] of Object.entries(GROUPS)) {
  it(`holds what an owner says: ${name}, ${all.length} sentences`, { timeout: 900_000 }, async () => {
    // Where her own mail is not the yes, it is the rule alone by which a call goes without a question.
    const approvals = { batch_window_s: 0, own_words: name === 'copies' ? 'count' : 'ask' };
    const office = await openRules({ 'data/personas/ada/files/kept.txt': 'kept' }, { approvals });
    open.office = office;
    for (const [at, said] of all.entries()) {
      const number = `${name} ${at}.`;
      const kept = await say(office, said, number);
      await next(office, said, kept, number);
      await end(office, said, kept.rule.id, at);
    }
  });
}
