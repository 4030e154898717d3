import { afterEach, describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import { type Model, makeRig, type Rig } from '../rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

async function rigWith(models: Model): Promise<Rig> {
  const rig = await makeRig({ models });
  rigs.push(rig);
  return rig;
}

const FALSE = 'I have sent the mail to Carl.';

describe('an answer that was held back', () => {
  it('stays so over a restart: the same note stands in the next request, and it counts', async () => {
    const rig = await rigWith((_request, asked) => {
      if (asked === 2) throw new EngineError('overloaded', 'busy', { retry: { afterMs: 5000 } });
      return { text: asked === 1 ? FALSE : 'I cannot send mail.' };
    });
    const { run, text, decisions } = await rig.answer();
    // The wait put the run back into the queue, so its state was folded from its events.
    expect(rig.requests[2]?.messages).toEqual(rig.requests[1]?.messages);
    expect(rig.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', text: FALSE },
      { role: 'user', content: [{ text: expect.stringContaining('no call did that') }] },
    ]);
    expect(decisions).toEqual(['begin', 'gap', 'begin', 'answered']);
    expect({ outcome: run.outcome, text }).toEqual({ outcome: 'final', text: 'I cannot send mail.' });
  });

  it('is sent in part, without what is false, when the model does not take it back', async () => {
    const rig = await rigWith(() => ({ text: `${FALSE}\n\nIs there anything else?` }));
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract', model_calls: 3 });
    expect(text).not.toContain(FALSE);
    expect(text).toContain('Is there anything else?');
  });

  it('is something to send when the provider dies over it', async () => {
    const rig = await rigWith((_request, asked) => {
      if (asked > 1) throw new EngineError('auth', 'no');
      return { text: `Here is what I know. ${FALSE}` };
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'provider' });
    expect(text).toContain('Here is what I know.');
    expect(text).not.toContain(FALSE);
  });
});
