import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type Admission, BEN, BOSS, startAdmission } from '../admission-rig.ts';
import { atRest } from '../at-rest.ts';
import { eventually } from '../eventually.ts';
import { epistle } from '../gateway.ts';

// Whoever has a copy of a mail that only its signature proves hands it in again: under another Message-ID, which the signature
// does not cover, or to another persona. What the owner asked for is done once.

let gate: Admission;
let count = 0;
beforeAll(async () => {
  gate = await startAdmission();
  expect((await epistle(gate.root, ['config', 'set', 'security', 'approvals.own_words', 'count'])).code).toBe(0);
});
afterAll(() => gate.stop());

const TIM = 'tim@elsewhere.example';
const COVERS = 'from:to:subject:date:mime-version';

/** The owner asks for a mail to Tim; the model does what stands there. */
async function asking(subject: string, { to = ADA, covers = COVERS } = {}) {
  count += 1;
  const id = `<replayed-${count}@owner.test>`;
  const date = new Date().toUTCString().replace('GMT', '+0000');
  const call = `/send_email ${JSON.stringify({ to: [TIM], subject, body: 'We meet.' })}`;
  const lines = [`From: Boss <${BOSS}>`, `To: ${to}`, `Subject: ${subject}`, `Date: ${date}`, `Message-ID: ${id}`];
  const raw = Buffer.from([...lines, 'MIME-Version: 1.0', '', `Please tell ${TIM}.`, '', call, ''].join('\r\n'));
  return { id, raw: (await gate.sign(raw, 'owner.test', { covers })).toString('latin1') };
}

const renamed = (raw: string, id: string): Buffer =>
  Buffer.from(raw.replace(/^Message-ID: .*$/m, `Message-ID: ${id}`), 'latin1');
const reached = async (subject: string): Promise<number> => {
  await atRest(gate.root);
  const mails = await gate.outgoing();
  return mails.filter(({ mail, envelopeTo }) => envelopeTo.includes(TIM) && mail.subject === subject).length;
};

it('control: is done once, as the owner asked', async () => {
  const { id, raw } = await asking('Control');
  await gate.send(Buffer.from(raw, 'latin1'));
  await gate.runOf(id);
  await eventually(
    () => reached('Control'),
    (found) => found === 1,
    20_000,
  );
});

it('is not done again under another Message-ID, nor with a header put before it', async () => {
  const { id, raw } = await asking('Once more');
  await gate.send(Buffer.from(raw, 'latin1'));
  await gate.runOf(id);
  await gate.send(renamed(raw, '<another@owner.test>'));
  await gate.send(Buffer.from(`X-Other: x\r\n${raw}`, 'latin1'));
  await gate.send(Buffer.from(`Resent-To: ${ADA}\r\n${renamed(raw, '<third@owner.test>')}`, 'latin1'));
  expect(await reached('Once more')).toBe(1);
  expect(gate.seen('<another@owner.test>')).toMatchObject([{ decision: 'duplicate' }]);
});

it('is not done by another persona, to which its owner has not written', async () => {
  const { id, raw } = await asking('Both');
  await gate.send(Buffer.from(raw, 'latin1'));
  await gate.runOf(id);
  await gate.send(Buffer.from(raw, 'latin1'), [BEN]);
  await gate.send(renamed(raw, '<ben@owner.test>'), [BEN]);
  expect(await reached('Both')).toBe(1);
});

it('is not done by another persona that gets it first, or alone', async () => {
  const { raw } = await asking('Alone');
  await gate.send(Buffer.from(raw, 'latin1'), [BEN]);
  expect(await reached('Alone')).toBe(0);
});
