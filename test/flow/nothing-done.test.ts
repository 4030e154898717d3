import { afterEach, describe, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { CARL, MEMBER, OWNER } from './governance-rig.ts';

// Whether a run did what was asked is read from its record: an answer that says "all set" below a refused mail is no success.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const NO_MAIL_TO_CARL = {
  'configs/security.json': {
    owners: [OWNER],
    approvals: { batch_window_s: 0 },
    tool_policy: { rules: [{ tool: 'send_email', when: { to: CARL }, decision: 'deny' }] },
  },
};
const toCarl = { name: 'send_email', arguments: { to: [CARL], subject: 'Offer', body: 'Dear Carl' } };
const saying =
  (text: string, ...calls: object[]): Says =>
  (turn) =>
    turn === 0 && calls.length > 0 ? { calls: calls as never } : { text };

async function ada(says: Says, files: Readonly<Record<string, object>> = NO_MAIL_TO_CARL): Promise<Modelled> {
  open.made = await openModelled(says, files);
  return open.made;
}

/** Of the newest run, whose replay says the same. */
async function endOf({ office }: Modelled) {
  const [run] = (await office.cli('runs', 'list')).json.runs;
  expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  return { outcome: run.outcome, code: run.code };
}

describe('a run of which nothing was done that was to be done', () => {
  it('is partial whatever its model says, and can be tried again', async () => {
    const made = await ada(saying('All set, Carl has the offer now.', toCarl));
    await made.office.ask(`Send the offer to ${CARL}.`);
    const { mail } = await made.office.arrival('reply', MEMBER);
    expect(mail.text).toContain(`Not done: mail to ${CARL} "Offer" (not allowed by a rule)`);
    expect(mail.text).not.toContain('not complete');
    expect(await endOf(made)).toEqual({ outcome: 'partial', code: 'contract' });
    const [run] = (await made.office.cli('runs', 'list')).json.runs;
    expect((await made.office.cli('runs', 'retry', run.id)).code).toBe(0);
  });

  it('is partial, too, after an owner’s no', async () => {
    const made = await ada(saying('I have not written to him.', toCarl), {});
    await made.office.ask(`Send the offer to ${CARL}.`);
    await made.office.answer(await made.office.arrival('approval', OWNER), 'no');
    await made.office.arrival('reply', MEMBER);
    expect(await endOf(made)).toEqual({ outcome: 'partial', code: 'contract' });
  });
});

describe('a run that is whole', () => {
  it('did one thing and was refused another, or was to do nothing', async () => {
    const save = { name: 'write_file', arguments: { path: 'offer.txt', content: 'Offer' } };
    const made = await ada((turn, mail) =>
      turn === 0 && mail.includes('offer') ? { calls: [save, toCarl] } : { text: 'Here you are.' },
    );
    await made.office.ask(`Send the offer to ${CARL} and keep it.`);
    await made.office.arrival('reply', MEMBER);
    expect(await endOf(made)).toEqual({ outcome: 'final', code: null });
    await made.office.ask('What is the capital of Peru?', MEMBER, 'Peru');
    await made.office.arrival('reply', MEMBER, 2);
    expect(await endOf(made)).toEqual({ outcome: 'final', code: null });
  });
});
