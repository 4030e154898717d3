import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

// F19: a mail that needs no answer could not be left without one, and what a model wrote when it had got stuck was mailed.

const PROMPT = {
  'configs/prompts/system.md': readFileSync(new URL('../../configs/prompts/system.md', import.meta.url), 'utf8'),
};
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());
async function ada(says: Says, files: Readonly<Record<string, string | object>> = PROMPT): Promise<Modelled> {
  open.made = await openModelled(says, files);
  return open.made;
}

const runOf = async ({ office }: Modelled) => (await office.cli('runs', 'list')).json.runs[0];
const identical = async (made: Modelled) => {
  const { id } = await runOf(made);
  expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({ identical: true });
};

describe('a mail that needs no answer', () => {
  it('is left without one where its model says so, which is on record, and can be answered all the same', async () => {
    const made = await ada((turn) => ({
      text: made.model.requests.length > 1 || turn > 0 ? 'You are welcome.' : 'NOTHING',
    }));
    await made.office.ask('Thanks, that was all.');
    expect(await made.office.left('reply')).toEqual([]);
    const run = await runOf(made);
    expect(run).toMatchObject({ status: 'done', outcome: 'silent:nothing', code: 'nothing' });
    await identical(made);
    expect((await made.office.cli('runs', 'retry', run.id)).code).toBe(0);
    expect((await made.office.arrival('reply', MEMBER)).mail.text).toContain('You are welcome.');
  });

  it('is answered with what was done for it, and with no word beside that', async () => {
    const write = { name: 'write_file', arguments: { path: 'thanks.md', content: 'Maria said thanks.' } };
    const made = await ada((turn) => (turn === 0 ? { calls: [write] } : { text: 'NOTHING' }));
    await made.office.ask('Thanks! Please note that down.', OWNER);
    const { mail } = await made.office.arrival('reply', OWNER);
    expect(mail.text).toContain('thanks.md');
    expect(mail.text).not.toContain('NOTHING');
    expect(await runOf(made)).toMatchObject({ outcome: 'final' });
    await identical(made);
  });

  it('is answered with what an owner’s no left undone', async () => {
    const remove = { name: 'delete_file', arguments: { path: 'a.txt' } };
    const made = await ada((turn) => (turn === 0 ? { calls: [remove] } : { text: 'NOTHING' }));
    made.put('a.txt', 'This is a.txt.');
    await made.office.ask('Thanks, a.txt can go.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'no');
    expect((await made.office.arrival('reply', MEMBER)).mail.text).toContain('Not done: delete a.txt');
  });

  it('is answered where an answer has to bring something', async () => {
    const made = await ada(() => ({ text: 'NOTHING' }), {
      ...PROMPT,
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: [MEMBER] },
        answer: { contract: ['claims'] },
      },
    });
    await made.office.ask('Which of the offers is the cheapest?');
    await made.office.arrival('reply', MEMBER);
    expect(await runOf(made)).toMatchObject({ outcome: 'partial', code: 'contract' });
  });

  it('is answered with the word itself where the prompt of the workspace gives it no such meaning', async () => {
    const made = await ada(() => ({ text: 'NOTHING' }), { 'configs/prompts/system.md': 'You answer mail.' });
    await made.office.ask('What is in the box?');
    expect((await made.office.arrival('reply', MEMBER)).mail.text).toContain('NOTHING');
  });
});

describe('an answer that is none', () => {
  it('since it was empty, twice, is not called unreadable', async () => {
    const made = await ada(() => ({ text: '' }));
    await made.office.ask('Thanks a lot!');
    const { mail } = await made.office.arrival('reply', MEMBER);
    expect(mail.text).toContain('This answer is not complete: the model service stopped answering.');
    expect(mail.text).not.toContain('could not be read');
    expect(made.model.requests).toHaveLength(2);
    await identical(made);
  });

  const STUCK = 'We are very sorry for the delay of your order. '.repeat(300);

  it('since it is one sentence three hundred times is asked for anew', async () => {
    const made = await ada(() => ({ text: made.model.requests.length > 1 ? 'It comes on Friday.' : STUCK }));
    await made.office.ask('Where is my order?');
    const { mail } = await made.office.arrival('reply', MEMBER);
    expect(mail.text).toContain('It comes on Friday.');
    expect(mail.text).not.toContain('very sorry');
    expect(await runOf(made)).toMatchObject({ outcome: 'final', model_calls: 2 });
    await identical(made);
  });

  it.each([['stop' as const], ['length' as const]])(
    'and stays one sentence three hundred times leaves as what it is, cut off (%s)',
    async (finish) => {
      const made = await ada(() => ({ text: `I have looked. ${STUCK}`, finish }));
      await made.office.ask('Where is my order?');
      const { mail } = await made.office.arrival('reply', MEMBER);
      const text = mail.text?.replaceAll(/\s+/g, ' ') ?? '';
      expect(text).toContain('This answer is not complete: it broke off while it was written.');
      expect(text.match(/very sorry/g)).toHaveLength(1);
      expect(text).toContain('I have looked.');
      expect(await runOf(made)).toMatchObject({ outcome: 'partial', code: 'cut_off', model_calls: 2 });
      await identical(made);
    },
  );

  it('only by its looks leaves as it is: the mail itself gave the sentence', async () => {
    const lines = 'I will not be late for class again.\n'.repeat(100);
    const made = await ada(() => ({ text: lines }));
    await made.office.ask('Write a hundred times: I will not be late for class again.');
    const { mail } = await made.office.arrival('reply', MEMBER);
    expect(mail.text?.match(/not be late/g)?.length).toBeGreaterThanOrEqual(100);
    expect(await runOf(made)).toMatchObject({ outcome: 'final', model_calls: 1 });
  });
});
