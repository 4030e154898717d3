import { afterEach, expect, it } from 'vitest';
import type { ScriptedCall } from '../../fakes/model-script.ts';
import { MEMBER } from '../governance-rig.ts';
import { mailCall, openRules, type RulesOffice } from './rig.ts';

const open: { office?: RulesOffice } = {};
afterEach(() => open.office?.close());

const remember = (text: string, quote: string, more: object = {}): ScriptedCall => ({
  name: 'remember',
  arguments: { text, quote, kind: 'plan', ...more },
});

it('an owner who says what was wrong has the fact replaced, the answers marked, and neither recalled; telling others is asked about', async () => {
  const office = await openRules({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      memory: { facts: true, recall: true },
    },
  });
  open.office = office;
  const nine = 'My flight to Tallinn is at 9';
  await office.told('Flight', `${nine}, remember that.`, [remember('The flight to Tallinn is at 9', nine)], {
    from: MEMBER,
  });
  const [old] = (await office.cli('memory', 'list')).json.facts;
  const asked = await office.told('When', 'When is my flight to Tallinn?', [], { from: MEMBER });
  expect(office.promptOf('When is my flight')).toContain('The flight to Tallinn is at 9');
  const wrong = async () => (await office.cli('runs', 'explain', asked.run.id)).json.explained.final.corrected_by;
  expect(await wrong()).toBeNull();

  const eleven = 'The flight of Mia to Tallinn is at 11';
  const corrected = await office.told('Wrong', `That was wrong. ${eleven}.`, [
    remember('The flight to Tallinn is at 11', eleven, { replaces: old.id }),
  ]);
  const [now, ...others] = (await office.cli('memory', 'list')).json.facts;
  expect(others).toEqual([]);
  // It is about whom it was about, and shown to whom it was shown; the fact of before with her figure, since the run was shown
  // words of a member.
  expect(now).toMatchObject({ text: 'The flight to Tallinn is at 11', subject: MEMBER, visibility: 'subject' });
  expect((await office.cli('memory', 'show', old.id)).json.fact).toMatchObject({ superseded_by: now.id });
  expect(await wrong()).toBe(now.id);
  // The model hears who got it, and only a question brings a mail to them.
  const result = JSON.stringify(office.requests.at(-1)?.view.results);
  expect(result).toContain(MEMBER);
  expect(corrected.verdicts).toMatchObject([{ tool: 'remember', verdict: 'allow' }]);
  const told = await office.told('Tell', 'Please tell everybody who got the wrong time.', [mailCall(MEMBER)]);
  expect(told.verdicts).toMatchObject([{ tool: 'send_email', verdict: 'approve' }]);

  await office.later();
  await office.told('Once more', 'And when is my flight to Tallinn now?', [], { from: MEMBER });
  const prompt = office.promptOf('And when is my flight to Tallinn now');
  expect(prompt).toContain('The flight to Tallinn is at 11');
  expect(prompt).not.toMatch(/at 9\b/);
});

it('a member corrects what is theirs, and hears nothing of whom others have told', async () => {
  const office = await openRules({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      memory: { facts: true, recall: true },
    },
  });
  open.office = office;
  const ben = 'ben@member.example';
  const nine = 'My flight to Tallinn is at 9';
  await office.told('Flight', `${nine}, remember that.`, [remember('The flight to Tallinn is at 9', nine)], {
    from: MEMBER,
  });
  const [old] = (await office.cli('memory', 'list')).json.facts;
  await office.told('Owner asks', 'When is the flight to Tallinn?', []);
  const others = 'The flight of Mia is at 7';
  const refused = await office.told('Ben', others, [remember('The flight is at 7', others, { replaces: old.id })], {
    from: ben,
  });
  expect(office.codesOf(refused.run.id)).toEqual(['invalid_arguments']);
  const eleven = 'It was wrong: my flight is at 11';
  await office.told('Mia', eleven, [remember('The flight to Tallinn is at 11', eleven, { replaces: old.id })], {
    from: MEMBER,
  });
  expect((await office.cli('memory', 'show', old.id)).json.fact.superseded_by).not.toBeNull();
  expect(JSON.stringify(office.requests.at(-1)?.view.results)).not.toContain('wrongly_told');
});
