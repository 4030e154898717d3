import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, type Admission, MIA, startAdmission } from './admission-rig.ts';

let gate: Admission;
beforeAll(async () => {
  gate = await startAdmission();
}, 60_000);
afterAll(() => gate?.stop());

const encoded = (id: string) => `=?utf-8?B?${Buffer.from(id).toString('base64')}?=`;
const folded = (id: string) => `${id.slice(0, 12)}\r\n ${id.slice(12)}`;

describe('an answer to a mail of ours to which a relay gave another Message-ID', () => {
  it.each([
    ['names both', (own: string, relay: string) => `${own} ${relay}`],
    ['names ours in capitals', (own: string, relay: string) => `${own.toUpperCase()} ${relay}`],
    ['names ours alone, without brackets', (own: string) => own.slice(1, -1)],
    ['names ours alone, folded in its middle', folded],
    ['names both, encoded like a subject', (own: string, relay: string) => encoded(`${own} ${relay}`)],
  ])('goes on with its conversation where it %s', async (name, references) => {
    const first = `<${name.replaceAll(/\W/g, '-')}@member.test>`;
    await gate.mail({ from: MIA, id: first, signedBy: null }, [ADA], { asSubmission: true });
    const [answer] = await gate.answersTo(first);
    // What SES leaves of it: all but its Message-ID.
    const [, last] = [answer?.mail.references ?? []].flat();
    expect(last).toBe(answer?.mail.messageId);
    const relay = `<0102018f-${first.slice(1, 9)}@eu-west-1.amazonses.com>`;
    const id = `<re-${first.slice(1)}`;
    const headers = [`In-Reply-To: ${relay}`, `References: ${references(last ?? '', relay)}`];
    await gate.mail({ from: MIA, id, headers, subject: 'Re: A question', signedBy: null }, [ADA], {
      asSubmission: true,
    });
    expect(gate.seen(id)[0]?.thread_id).toBe(gate.seen(first)[0]?.thread_id);
  });
});
