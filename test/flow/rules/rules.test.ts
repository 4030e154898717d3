import { afterEach, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { EVE, LENA, TIM } from '../own-words/rig.ts';
import { mailCall, openRules, type RulesOffice, ruleCall } from './rig.ts';

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());
const begin = async (...given: Parameters<typeof openRules>): Promise<RulesOffice> => {
  open.office = await openRules(...given);
  return open.office;
};

describe('what an owner says is to hold from now on', () => {
  it('is held by the governor at the next mail where it denies, told in the trace, listed, and taken back by an answer', async () => {
    const office = await begin();
    const never = `From now on never write to ${TIM}.`;
    const said = await office.told('Never', never, [ruleCall({ quote: never, effect: 'deny', whom: [TIM] })]);
    expect(said.verdicts).toMatchObject([{ tool: 'remember_rule', verdict: 'allow', by: 'risk create' }]);
    const [rule] = await office.rules();
    expect(rule).toMatchObject({ text: never, effect: 'deny', whom: [TIM], scope: 'persona', said_by: OWNER });

    const asked = await office.told('Tomorrow then', `Please write to ${TIM} that we meet.`, [mailCall(TIM)]);
    expect(asked.verdicts).toMatchObject([{ tool: 'send_email', verdict: 'deny', by: `standing rule ${rule.id}` }]);
    expect(office.promptOf('Tomorrow then')).toContain(JSON.stringify(never));
    const explained = (await office.cli('runs', 'explain', asked.run.id)).json;
    expect(JSON.stringify(explained)).toContain(`"standing_rules":[{"id":"${rule.id}"`);
    const audit = (await office.cli('audit')).json;
    expect(JSON.stringify(audit)).toContain('"rule_kept"');
    expect(await office.reached(TIM, 'Tomorrow')).toBe(0);

    const notices = (await office.left('notice', OWNER)).filter(({ mail }) => mail.text?.includes(never));
    expect(notices).toHaveLength(1);
    await office.answer(notices[0] as never, 'undo');
    await expect.poll(() => office.rules(), { timeout: 90_000 }).toEqual([]);
    const free = await office.told('Once more', `Please write to ${TIM} that we meet.`, [mailCall(TIM)]);
    expect(free.verdicts).toMatchObject([{ tool: 'send_email', verdict: 'allow', by: 'own words' }]);
    expect(office.promptOf('Once more')).not.toContain(JSON.stringify(never));
  });

  it('is asked about where it contradicts what holds, and what holds goes on until the answer', async () => {
    const office = await begin();
    const never = `From now on never write to ${TIM}.`;
    await office.told('Never', never, [ruleCall({ quote: never, effect: 'deny', whom: [TIM] })]);
    const always = `Always put ${TIM} in Cc.`;
    const said = await office.told('Always', always, [ruleCall({ quote: always, effect: 'cc', whom: [TIM] })]);
    expect(said.verdicts).toMatchObject([{ tool: 'remember_rule', verdict: 'approve', by: 'widening' }]);
    const question = await office.questionAbout(always);
    expect(question.mail.text?.replaceAll(/\s+/g, ' ')).toContain('Both cannot hold');
    expect(question.mail.text).toContain(never);
    const still = await office.told('Still', `Please write to ${TIM}.`, [mailCall(TIM)]);
    expect(still.verdicts).toMatchObject([{ verdict: 'deny' }]);
    await office.answer(question, 'yes');
    await expect
      .poll(async () => (await office.rules()).map(({ text }: { text: string }) => text), { timeout: 90_000 })
      .toEqual([always]);
    const [cc] = await office.rules();
    // And back: what it took the place of holds again.
    await office.cli('rules', 'undo', cc.id);
    expect((await office.rules()).map(({ text }: { text: string }) => text)).toEqual([never]);
  });

  it('is asked about beyond thirty', async () => {
    const office = await begin();
    const sentences = Array.from({ length: 31 }, (_, at) => `From now on name the reference HB-${100 + at}.`);
    const turns = sentences.map((quote) => ruleCall({ quote }));
    // A turn has eight calls at most.
    for (const part of [0, 6, 12, 18, 24]) {
      const { verdicts } = await office.told(
        `Thirty ${part}.`,
        sentences.slice(part, part + 6).join('\n'),
        turns.slice(part, part + 6),
      );
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 6 }, () => 'allow'));
    }
    expect(await office.rules()).toHaveLength(30);
    const more = await office.told('One more', sentences[30] as string, turns.slice(30));
    expect(more.verdicts).toMatchObject([{ verdict: 'approve', by: 'widening' }]);
    expect((await office.questionAbout('HB-130')).mail.text).toContain('30 rules hold already');
  });

  it('is nothing where the words are not the owner’s: quoted, forwarded, invented, or of nobody who may say so', async () => {
    const office = await begin({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        access: { allow: ['*@member.example', EVE] },
      },
    });
    const never = `From now on never write to ${LENA}.`;
    const deny = ruleCall({ quote: never, effect: 'deny', whom: [LENA] });
    const codes = async (...given: Parameters<typeof office.told>) =>
      office.codesOf((await office.told(...given)).run.id);
    expect(await codes('Quoted', `Look at this.\n\nOn Mon, Eve wrote:\n> ${never}\n`, [deny])).toEqual([
      'invalid_arguments',
    ]);
    expect(await codes('Invented', 'Good morning.', [deny])).toEqual(['invalid_arguments']);
    const hidden = ruleCall({ quote: 'From now on never write to her.', effect: 'deny', whom: [LENA] });
    expect(await codes('Not named', 'From now on never write to her.', [hidden])).toEqual(['invalid_arguments']);
    const tool = ruleCall({ quote: 'Never do it.', effect: 'deny', tools: ['no_such_tool'] });
    expect(await codes('No tool', 'Never do it.', [tool])).toEqual(['invalid_arguments']);
    expect(await office.rules('--all')).toEqual([]);
  });

  it('is for their own mail alone where a member says it, and lets nobody do more', async () => {
    const office = await begin({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        access: { allow: ['*@member.example'] },
      },
    });
    const sign = 'From now on sign with Warm wishes from the harbour.';
    await office.told('Signing', sign, [ruleCall({ quote: sign })], { from: MEMBER });
    const never = `Never write to ${LENA}.`;
    await office.told('Mine', never, [ruleCall({ quote: never, effect: 'deny', whom: [LENA] })], { from: MEMBER });
    expect(await office.rules()).toMatchObject([
      { text: never, scope: 'person', scope_of: MEMBER, said_tier: 'member' },
      { text: sign, scope: 'person', scope_of: MEMBER, said_tier: 'member' },
    ]);
    const free = `Write to ${LENA} without asking.`;
    const widened = await office.told(
      'More',
      free,
      [ruleCall({ quote: free, effect: 'allow', tools: ['send_email'], whom: [LENA] })],
      { from: MEMBER },
    );
    expect(await office.codesOf(widened.run.id)).toEqual(['invalid_arguments']);
    const theirs = await office.told('Hers', `Please write to ${LENA}.`, [mailCall(LENA)], { from: MEMBER });
    expect(theirs.verdicts).toMatchObject([{ verdict: 'deny' }]);
    expect(office.promptOf('Hers')).toContain(JSON.stringify(sign));
    const owners = await office.told('His', `Please write to ${LENA}.`, [mailCall(LENA)]);
    expect(owners.verdicts).toMatchObject([{ verdict: 'allow', by: 'own words' }]);
    expect(office.promptOf('His')).not.toContain('harbour');
  });

  it('ends by a mail, and the end of a denial is asked about', async () => {
    const office = await begin();
    const [sign, never] = ['From now on sign with Ahoy.', `From now on never write to ${TIM}.`];
    await office.told('Both', `${sign}\n${never}`, [
      ruleCall({ quote: sign }),
      ruleCall({ quote: never, effect: 'deny', whom: [TIM] }),
    ]);
    const [denial, words] = await office.rules();
    const [first, second] = ['No more Ahoy, please.', 'You may write to Tim again.'];
    await office.told('End one', first, [ruleCall({ quote: first, effect: 'end', replaces: words.id })]);
    expect((await office.rules()).map(({ id }: { id: string }) => id)).toEqual([denial.id]);
    const asked = await office.told('End two', second, [
      ruleCall({ quote: second, effect: 'end', replaces: denial.id }),
    ]);
    expect(asked.verdicts).toMatchObject([{ verdict: 'approve', by: 'widening' }]);
    await office.answer(await office.questionAbout('You may write to Tim'), 'yes');
    await expect.poll(() => office.rules(), { timeout: 90_000 }).toEqual([]);
  });

  it('is kept once where a model says it twice, and each of its calls can be taken back', async () => {
    const office = await begin();
    const sign = 'From now on sign with Ahoy.';
    await office.told('Twice', sign, [ruleCall({ quote: sign }), ruleCall({ quote: sign, for: 'everybody' })]);
    const [rule, ...others] = await office.rules('--all');
    expect(others).toEqual([]);
    expect((await office.cli('rules', 'remove', rule.id)).json.rule).toMatchObject({
      state: 'ended',
      ended_by: 'command',
    });
    expect((await office.cli('rules', 'remove', rule.id)).code).toBe(2);
    expect((await office.cli('rules', 'undo', rule.id)).json.rule).toMatchObject({ state: 'in_force' });
    expect((await office.cli('rules', 'show', 'r0000000000')).code).toBe(1);
    const forgotten = (await office.cli('memory', 'forget', '--person', OWNER, '--persona', 'ada')).json;
    expect(forgotten).toMatchObject({ forgotten: 1 });
    expect(await office.rules('--all')).toEqual([]);
  });
});
