import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, openAnswerFirst } from './rig.ts';

// A tenant writes that the heating is out, the persona wants to write that down in a file of its owner's, and the owner says more
// than yes to that: the tenant's answer waits for none of it, and what the owner says reaches the persona.

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst({
    'data/personas/ada/files/cases.md': 'Cases:\n',
    'data/personas/ada/files/fourth.md': 'Cases:\n',
    'data/personas/ada/files/other.md': 'Cases:\n',
    ...Object.fromEntries(
      ['yes', 'a-yes-in-one-line', 'a-no', 'a-doubtful-yes', 'alone-a', 'alone-b', 'alone-c'].map((name) => [
        `data/personas/ada/files/${name}.md`,
        'Cases:\n',
      ]),
    ),
  });
});
afterAll(() => office.close());

const noted = (path: string) => ({
  name: 'edit_file',
  arguments: { path, old_text: 'Cases:', new_text: 'Cases:\n- heating out at Mia’s' },
});
const fileOf = (path: string): string => readFileSync(join(office.root, 'data/personas/ada/files', path), 'utf8');
const asked = () => office.model.requests.map(({ view }) => view.lastUser);

/** The tenant's mail, answered at once, and the question about the file. */
async function heatingIsOut(subject: string, path: string) {
  const { messageId, run } = await office.asks(subject, [[noted(path)], 'Somebody will come today.'], {
    text: `The heating is out. It is about ${path}.`,
  });
  expect(run).toMatchObject({ status: 'done', outcome: 'final' });
  expect((await office.textsTo(MEMBER)).at(-1)).toContain('Somebody will come today.');
  expect(await office.left('wait')).toEqual([]);
  return { messageId, question: await office.questionAbout(path) };
}

describe('what an owner writes beside the yes', () => {
  it('is a yes, and what they ask for besides is worked on by itself, in their words', async () => {
    const { messageId, question } = await heatingIsOut('The heating is out', 'cases.md');
    const wish = 'tell Mia that Kolbe comes at eleven';
    office.script(wish, 'I will.');
    const said = await office.answer(question, `Yes, sure, and please ${wish}.`);
    await onceRecorded(office.root, () => {
      expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final', 'follow_up']);
    });
    expect(fileOf('cases.md')).toContain('heating out');
    await onceRecorded(office.root, async () => {
      expect((await office.textsTo(MEMBER)).at(-1)).toContain('What was still open about your mail is done now.');
      expect((await office.textsTo(OWNER)).at(-1)).toContain('I will.');
    });
    const [request, ...others] = asked().filter((text) => text.includes(wish));
    expect(others).toEqual([]);
    expect(request).toMatch(/^This answers your question to your owners of [-\d: ]+ \(1\. edit_file(: yes)?\)/m);
    // It began by the owner's own mail, and not by the tenant's.
    const [own] = office.runsOf(said);
    const begun = office.reading((db) => db.events(own?.id ?? '')).find(({ type }) => type === 'run_queued');
    expect(begun?.data.tier).toBe('owner');
    expect((await office.left('clarify', OWNER)).length).toBe(0);
  });

  it('control: with a condition it is no yes, nothing is done, and the owner is asked what they mean', async () => {
    const { messageId, question } = await heatingIsOut('The heating is out again', 'other.md');
    await office.answer(question, 'Yes, if Kolbe can come at eleven.');
    await office.arrival('clarify', OWNER);
    expect(fileOf('other.md')).toBe('Cases:\n');
    expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
  });

  it('is worked on by itself where they are asked back, too, and the mail that asks back says so', async () => {
    const { question } = await heatingIsOut('The heating is out for long', 'fourth.md');
    const wish = 'If Kolbe can at eleven. And please tell Mia about it.';
    office.script('tell Mia about it', 'I will tell her.');
    const said = await office.answer(question, `Yes. ${wish}`);
    await onceRecorded(office.root, async () => {
      const [text = ''] = (await office.left('clarify', OWNER)).flatMap(({ mail }) =>
        mail.text?.includes('tell Mia about it') ? [mail.text] : [],
      );
      expect(text.replaceAll(/\s+/g, ' ')).toContain(`I take as a mail of its own: “${wish}”`);
      expect(office.runsOf(said)).toMatchObject([{ status: 'done' }]);
    });
    expect(fileOf('fourth.md')).toBe('Cases:\n');
  });

  it.each([
    ['yes', 'Yes.\nThat was wrong.'],
    ['a yes in one line', 'Yes, do it. That was wrong.'],
    ['a no', 'No, Kolbe has come.\nThat was wrong.'],
    ['a doubtful yes', 'Yes but only where it is mine, not each of them!!\nThat was wrong.'],
  ])('a correction beside %s reaches a run as the owner’s words', async (name, answer) => {
    const path = `${name.replaceAll(' ', '-')}.md`;
    const wish = `That was wrong: it was 11 (${name}).`;
    const { question } = await heatingIsOut(`The heating is out: ${name}`, path);
    office.script(wish, 'I see.');
    const said = await office.answer(question, `${answer.replace('That was wrong.', wish)}\n\n-- \nOlga Owner`);
    await onceRecorded(office.root, () => {
      expect(office.runsOf(said)).toMatchObject([{ status: 'done', outcome: 'final' }]);
    });
    const [run] = office.runsOf(said);
    const begun = office.reading((db) => db.events(run?.id ?? '')).find(({ type }) => type === 'run_queued');
    expect(begun?.data.tier).toBe('owner');
    const shown = asked().filter((text) => text.includes(wish));
    expect(shown).toHaveLength(1);
    expect(shown[0]).not.toMatch(/Kolbe|each of them|Yes/);
  });

  it('control: a yes alone, a no with its reason and a condition in the same sentence begin nothing', async () => {
    for (const [name, answer] of [
      ['a', 'Yes, go ahead.\nThanks!\nOlga'],
      ['b', 'No, because Kolbe has come.'],
      ['c', 'Yes, if Kolbe can come at eleven.'],
    ] as const) {
      const { question } = await heatingIsOut(`The heating is out ${name}`, `alone-${name}.md`);
      const said = await office.answer(question, answer);
      await office.left('reply', OWNER);
      expect(office.runsOf(said)).toEqual([]);
    }
  });
});
