import { afterEach, describe, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { CARL, MEMBER, OWNER } from './governance-rig.ts';

// What stands below an answer is read by whoever gets it: people outside hear of nobody else, and members hear by names that
// they know, or not at all.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const ALLOWED = {
  'configs/security.json': {
    owners: [OWNER],
    approvals: { batch_window_s: 0 },
    tool_policy: { rules: [{ tool: 'send_email', when: { to: '*@elsewhere.example' }, decision: 'allow' }] },
  },
};
const mail = (to: string) => ({ name: 'send_email', arguments: { to: [to], subject: 'Bank details', body: 'Look.' } });
async function ada(says: Says): Promise<Modelled> {
  open.made = await openModelled(says, ALLOWED);
  return open.made;
}
const below = (text: string | undefined) => (text ?? '').split('\n-- ')[0]?.trim();
const identical = async ({ office }: Modelled) => {
  const [run] = (await office.cli('runs', 'list')).json.runs;
  expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
};

describe('people outside', () => {
  it('read nothing of a mail to the owner about theirs, nor that something was left out', async () => {
    // The second mail is of the same thread, so the model's turns go on.
    const turns = [{ calls: [mail(CARL)] }, { text: 'I have.' }, { calls: [mail('owners')] }, { text: 'Thank you.' }];
    const made = await ada(() => turns.shift() ?? { text: '' });
    await made.office.ask(`Ask ${CARL} for the invoice.`, OWNER, 'Invoice');
    const sent = await made.office.arrival('reply', CARL);
    await made.office.post({
      from: CARL,
      subject: 'Re: Bank details',
      text: 'Here it is. Our new account is 4711.',
      inReplyTo: sent.mail.messageId ?? '',
      references: [sent.mail.messageId ?? ''],
    });
    const reply = await made.office.arrival('reply', CARL, 2);
    expect(below(reply.mail.text)).toBe('Thank you.');
    const told = (await made.office.left('reply', OWNER)).map(({ mail: { subject } }) => subject);
    expect(told).toContain('Bank details');
    await identical(made);
  });
});

describe('one of us', () => {
  it('who is a member hears of a mail to the owner by that word, of one to somebody whom they named by their name', async () => {
    const made = await ada((turn, said) => {
      if (turn > 0) return { text: 'It is done.' };
      return { calls: said.includes('for Carl') ? [mail(CARL)] : [mail(OWNER)] };
    });
    await made.office.ask('I am ill today, please tell whom it may concern.');
    const first = await made.office.arrival('reply', MEMBER);
    expect(below(first.mail.text)).toBe('It is done.\n\nDone: mail to the owner');
    await identical(made);
    await made.office.ask('The new bank details are for Carl.', MEMBER, 'Carl');
    const second = await made.office.arrival('reply', MEMBER, 2);
    expect(below(second.mail.text)).toBe('It is done.\n\nDone: mail to Carl');
    await identical(made);
  });

  it('who is a member reads no line that says nothing, and hears all the same what was not done', async () => {
    const other = 'jana@partner.example';
    const made = await ada((turn, said) => {
      if (turn > 0) return { text: 'It is done.' };
      return { calls: [mail(said.includes('refused') ? other : CARL)] };
    });
    await made.office.ask('Please tell whoever does the books.');
    const first = await made.office.arrival('reply', MEMBER);
    expect(below(first.mail.text)).toBe('It is done.');
    await identical(made);
    await made.office.ask('Please tell the others, this will be refused.', MEMBER, 'Refused');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'no');
    const second = await made.office.arrival('reply', MEMBER, 2);
    expect(below(second.mail.text)).toContain('Not done: mail to somebody else (the owner said no)');
    await identical(made);
  });

  it('who is a member reads of the owner in good German', async () => {
    const made = await ada((turn) =>
      turn > 0 ? { text: 'Ich habe alles weitergegeben, gute Besserung.' } : { calls: [mail(OWNER)] },
    );
    await made.office.ask('Ich bin heute krank, bitte sag es der Chefin.', MEMBER, 'Krank');
    const reply = await made.office.arrival('reply', MEMBER);
    expect(below(reply.mail.text)).toContain('Erledigt: Mail an den Inhaber');
  });

  it('who is an owner reads all of it', async () => {
    const made = await ada((turn) => (turn > 0 ? { text: 'It is done.' } : { calls: [mail(CARL)] }));
    await made.office.ask('Please tell whoever does the books.', OWNER);
    const reply = await made.office.arrival('reply', OWNER);
    expect(below(reply.mail.text)).toContain(`Done: mail to ${CARL} "Bank details"`);
  });
});
