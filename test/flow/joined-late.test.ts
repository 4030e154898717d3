import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, type Admission, MIA, startAdmission } from './admission-rig.ts';

const CARL = 'carl@member.test';
const EVE = 'eve@member.test';

let gate: Admission;
beforeAll(async () => {
  gate = await startAdmission();
}, 60_000);
afterAll(() => gate?.stop());

interface Late {
  readonly id: string;
  readonly from?: string;
  readonly names: readonly string[];
  readonly cc?: string;
}

/** One mail of a conversation that began elsewhere; the thread that it came into. */
async function copyIn({ id, from = MIA, names, cc }: Late): Promise<string | null | undefined> {
  const headers = [
    ...(cc ? [`Cc: ${cc}`] : []),
    ...(names.length > 0 ? [`In-Reply-To: ${names.at(-1)}`, `References: ${names.join(' ')}`] : []),
  ];
  const reply = await gate.mail({ from, id, headers, subject: 'Re: Offer', signedBy: null }, [ADA], {
    asSubmission: true,
  });
  expect(reply.code).toBe(250);
  return gate.seen(id)[0]?.thread_id;
}

/** The three, as they name each other; the first two answer mails that never came here. */
const three = (name: string): readonly Late[] => {
  const id = (local: string) => `<${local}-${name}@other.example>`;
  return [
    { id: id('r1'), names: [id('root')] },
    { id: id('r2'), names: [id('root'), id('x2')] },
    { id: id('r3'), names: [id('root'), id('x2'), id('r2')] },
  ];
};

describe('a persona that is copied into a conversation of others', () => {
  it.each(['123', '132', '213', '231', '312', '321'])('has one thread of it, in the order %s', async (order) => {
    const mails = three(order);
    const threads: unknown[] = [];
    for (const place of order) threads.push(await copyIn(mails[Number(place) - 1] ?? { id: '', names: [] }));
    expect(threads[0]).toEqual(expect.any(String));
    expect(new Set(threads).size).toBe(1);
  });

  it('has its beginning there as well, when that comes last, and whatever a program makes of the ids', async () => {
    const [answer] = three('late');
    const thread = await copyIn(answer ?? { id: '', names: [] });
    expect(await copyIn({ id: '<late-2@other.example>', names: ['<ROOT-late@OTHER.example>'] })).toBe(thread);
    expect(await copyIn({ id: '<root-late@other.example>', names: [] })).toBe(thread);
  });

  it('takes those into the thread whom its mails are addressed to, and nobody who has copied an id', async () => {
    const [first, second] = three('open');
    const thread = await copyIn({ ...(first ?? { id: '', names: [] }), cc: CARL });
    expect(await copyIn({ id: '<carl@other.example>', from: CARL, names: ['<root-open@other.example>'] })).toBe(thread);
    const apart = await copyIn({ id: '<eve@other.example>', from: EVE, names: ['<root-open@other.example>'] });
    expect(apart).toEqual(expect.any(String));
    expect(apart).not.toBe(thread);
    expect(await copyIn(second ?? { id: '', names: [] })).toBe(thread);
  });

  it('is not drawn into the thread of somebody who named the mail first', async () => {
    const trap = await copyIn({ id: '<trap@other.example>', from: EVE, names: ['<root-trap@other.example>'] });
    const [first] = three('trap');
    expect(await copyIn(first ?? { id: '', names: [] })).not.toBe(trap);
  });
});
