import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type Admission, BOSS, startAdmission } from './admission-rig.ts';

let gate: Admission;
let count = 0;
beforeAll(async () => {
  gate = await startAdmission();
});
afterAll(() => gate.stop());

/** What becomes of a mail that the owner's server has signed for this agent or user (`i=`, RFC 6376 section 3.5). */
async function fateOf(identity: string | undefined): Promise<string> {
  count += 1;
  const id = `<agent-${count}@owner.test>`;
  const date = new Date().toUTCString().replace('GMT', '+0000');
  const lines = [`From: Boss <${BOSS}>`, `To: ${ADA}`, 'Subject: Hello', `Date: ${date}`, `Message-ID: ${id}`];
  const raw = Buffer.from([...lines, 'MIME-Version: 1.0', '', 'Hello', ''].join('\r\n'));
  await gate.send(await gate.sign(raw, 'owner.test', identity === undefined ? {} : { identity }), [ADA]);
  const { decision, code } = gate.seen(id).at(-1) ?? { decision: 'none', code: null };
  return code ?? decision;
}

it('L3: a signature for somebody outside of its domain proves nothing', async () => {
  for (const identity of ['boss@evil.test', '@evil.test', 'boss@notowner.test', '@test', 'boss@owner.test.evil.test'])
    expect([identity, await fateOf(identity)]).toEqual([identity, 'auth_failed']);
  for (const identity of [undefined, BOSS, '@owner.test', 'x@mail.owner.test'])
    expect([identity, await fateOf(identity)]).toEqual([identity, 'accepted']);
});

it('L3: nor does one for somebody below its domain where the key says that there is nobody (t=s)', async () => {
  const name = 'k._domainkey.owner.test';
  const key = gate.dns.zone[name];
  gate.dns.zone[name] = `${key}; t=s`;
  expect(await fateOf('x@mail.owner.test')).toBe('auth_failed');
  expect(await fateOf(BOSS)).toBe('accepted');
});
