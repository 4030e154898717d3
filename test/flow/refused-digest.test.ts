import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Admission, BOSS, startAdmission } from './admission-rig.ts';
import { eventually } from './eventually.ts';
import { epistle, startGateway } from './gateway.ts';

let gate: Admission;
beforeAll(async () => {
  gate = await startAdmission();
});
afterAll(() => gate?.stop());

describe('a day after strangers wrote', () => {
  it('owners get one mail that names the proven one, and how to let them in', async () => {
    await gate.send(await gate.write({ from: 'eve@evil.test', id: '<offer@evil.test>' }));
    await gate.send(await gate.write({ from: 'spam@nowhere.test', id: '<spam@nowhere.test>', signedBy: null }));
    await gate.gateway.stop();
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    const next = await startGateway(gate.root, { NODE_ENV: 'test', EPISTLE_TEST_NOW: tomorrow });
    try {
      const [digest, ...more] = await eventually(
        async () => (await gate.outgoing()).filter(({ mail }) => mail.headers.get('x-epistle-kind') === 'notice'),
        (found) => found.length > 0,
        60_000,
      );
      expect(more).toEqual([]);
      expect(digest?.envelopeTo).toBe(BOSS);
      expect(digest?.mail.subject).toBe('[Ada] Mail of 1 new sender was refused');
      expect(digest?.mail.text).toMatch(/^1\. eve@evil\.test → Ada\n\n {2}> A question$/m);
      expect(digest?.mail.text).toContain('Reply with "allow"');
      expect(digest?.mail.text).not.toContain('spam@nowhere.test');
      // It is about no mail, so lists show its own subject.
      const { outbox } = (await epistle(gate.root, ['outbox', 'list'])).json;
      expect(outbox).toMatchObject([{ kind: 'notice', from: null, subject: digest?.mail.subject }]);
    } finally {
      await next.stop();
    }
  });
});
