import { authenticate } from 'mailauth';
import { describe, expect, it } from 'vitest';
import { attackOf } from '../../../../scripts/lib/soak/forgeries/attacks.ts';
import { createKeys } from '../../../../scripts/lib/soak/forgeries/dkim.ts';
import { forwarded } from '../../../../scripts/lib/soak/forgeries/forwards.ts';
import { type Believed, forgedIn, lostRights } from '../../../../scripts/lib/soak/forgeries/judge.ts';
import { wordsOf } from '../../../../scripts/lib/soak/forgeries/mail.ts';
import { textOf } from '../../../../scripts/lib/soak/forgeries/mutation.ts';
import { type Facts, TEMPLATES, writeOriginal } from '../../../../scripts/lib/soak/forgeries/originals.ts';
import { STYLES } from '../../../../scripts/lib/soak/forgeries/styles.ts';
import { seededRandom } from '../../../../scripts/lib/soak/random.ts';

const keys = createKeys(['owner.test', 'member.test', 'evil.test']);
const target = {
  address: 'p0@agents.localhost',
  thread: '<thread@owner.test>',
  question: '<question@agents.localhost>',
  otherQuestion: '<other@agents.localhost>',
};
// A signature with `x=` is over some day, and the verifier here asks the real clock.
const NOW = Date.now();

const write = (style: (typeof STYLES)[number], template = 'alternative') =>
  writeOriginal({ template, style, target, keys, number: 1, random: seededRandom(1), atMs: NOW });

/** What a verifier that is not ours says about it. */
async function verdictOf(raw: string): Promise<string[]> {
  const result = await authenticate(Buffer.from(raw, 'latin1'), {
    disableBimi: true,
    trustReceived: false,
    disableArc: true,
    resolver: async (name: string, type: string) => {
      const text = type === 'TXT' ? keys.zone[name.toLowerCase()] : undefined;
      if (text === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
      return [[text]];
    },
  });
  return result.dkim.results.map(({ status }) => status.result);
}

describe('an original of the generator', () => {
  for (const style of STYLES) {
    it(`is signed as RFC 6376 wants it: ${style.id}`, async () => {
      for (const template of TEMPLATES)
        expect([template, await verdictOf(textOf(write(style, template).mail))]).toEqual([template, ['pass']]);
    });
  }

  it('is still signed when three relays have handed it on', async () => {
    const [style] = STYLES;
    if (!style) throw new Error('there is no style');
    expect(await verdictOf(forwarded(write(style)))).toEqual(['pass']);
  });
});

describe('the attacks of a seed', () => {
  const attacks = Array.from({ length: 2000 }, (_, number) => attackOf({ seed: 7, number, target, keys, now: NOW }));

  it('come from more than twenty originals of more than five styles', () => {
    expect(new Set(attacks.map(({ template, style }) => `${template}/${style}`)).size).toBeGreaterThan(100);
    expect(new Set(attacks.map(({ style }) => style)).size).toBe(STYLES.length);
  });

  it('are the same once more but for keys, and others for another seed', () => {
    const told = (seed: number) =>
      Array.from({ length: 50 }, (_, number) => attackOf({ seed, number, target, keys, now: NOW })).map(
        ({ group, what, template, style }) => ({ group, what, template, style }),
      );
    expect(told(7)).toEqual(told(7));
    expect(told(7)).not.toEqual(told(8));
  });

  it('break most signatures of those that change signed words, and leave enough whole to be worth believing', async () => {
    const some = attacks.filter(({ group }) => group === 'field added').slice(0, 150);
    const verdicts = await Promise.all(some.map(({ steps }) => verdictOf(steps.at(-1)?.raw.toString('latin1') ?? '')));
    const whole = verdicts.filter((verdict) => verdict.includes('pass')).length;
    expect(whole).toBeGreaterThan(30);
    expect(whole).toBeLessThan(140);
  });
});

describe('the judge of what was believed', () => {
  const [gmail] = STYLES;
  if (!gmail) throw new Error('there is no style');
  const { facts } = write(gmail, 'attachment');
  const message: NonNullable<Believed['message']> = {
    messageId: facts.messageId,
    from: facts.from,
    recipients: [target.address],
    replyTo: facts.from,
    subject: facts.subject,
    newText: facts.says[0] ?? '',
    text: 'The report',
    date: facts.date,
    files: facts.files,
    joined: [],
    known: [],
  };
  const believed: Believed = { decision: 'accepted', code: null, tier: 'owner', message, command: null, approved: [] };
  const judge = (change: Partial<Believed['message']> = {}, more: Partial<Believed> = {}, fact: Partial<Facts> = {}) =>
    forgedIn(
      { facts: { ...facts, ...fact }, persona: target.address, at: NOW, again: false },
      { ...believed, message: { ...message, ...change }, ...more },
    );

  it('is content with the mail as its author wrote it', () => {
    expect(judge()).toEqual([]);
    expect(lostRights({ facts, persona: target.address, at: NOW, again: false }, 'owner', believed)).toEqual([]);
  });

  it.each<[string, Partial<Believed['message']>]>([
    ['another author', { from: 'mallory@owner.test' }],
    ['another text', { newText: wordsOf('pay') }],
    ['words of an attacker', { text: 'an evilword' }],
    ['another subject', { subject: 'stop' }],
    ['other recipients', { recipients: [target.address, 'mallory@evil.test'] }],
    ['somebody became known', { known: ['mallory@evil.test'] }],
    ['the answer goes elsewhere', { replyTo: 'mallory@owner.test' }],
    ['joined a thread', { joined: [target.thread] }],
    ['another file', { files: ['0'] }],
    ['another date', { date: 1 }],
    ['another Message-ID', { messageId: '<x@y>' }],
  ])('sees %s', (why, change) => {
    expect(judge(change)).toEqual([why]);
  });

  it('sees what a mail brought about, whoever it says it is from', () => {
    expect(judge({}, { message: null, command: 'stop' })).toEqual(['took a command: stop']);
    expect(judge({}, { message: null, approved: [target.question] })).toEqual(['answered a question']);
    expect(judge({}, { tier: null, message: null, command: 'resume' })).toEqual(['took a command: resume']);
  });

  it('sees a mail that was for somebody else, one that is old, and one that is let in without proof', () => {
    expect(judge({}, {}, { recipients: ['carl@partner.test'] })).toContain('not addressed to the persona');
    expect(judge({}, {}, { signedAt: NOW - 9 * 86_400_000 })).toEqual(['signed long ago']);
    expect(judge({}, { tier: 'unauthenticated' })).toEqual(['let in as unauthenticated']);
    expect(judge({}, { tier: null, message: null })).toEqual([]);
  });

  it('sees a signature that is used a second time', () => {
    const again = { facts, persona: target.address, at: NOW, again: true };
    expect(forgedIn(again, believed)).toEqual(['used a second time']);
    expect(forgedIn(again, { ...believed, decision: 'duplicate', message: null, tier: null })).toEqual([]);
  });

  it('convicts a gateway that believes the top header and whatever stands below the first blank line', () => {
    const convicted = Array.from({ length: 500 }, (_, number) =>
      attackOf({ seed: 3, number, target, keys, now: NOW }),
    ).filter(({ steps }) => {
      const step = steps.at(-1);
      if (!step) return false;
      const delivered = { facts: step.facts, persona: target.address, at: NOW, again: step.again };
      return forgedIn(delivered, gullible(step.raw.toString('latin1'), message)).length > 0;
    });
    expect(convicted.length).toBeGreaterThan(300);
  });
});

/** Takes everybody at their word. */
function gullible(raw: string, message: NonNullable<Believed['message']>): Believed {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'));
  const top = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const told = {
    ...message,
    messageId: top('Message-ID'),
    replyTo: top('Reply-To') || null,
    subject: wordsOf(top('Subject')),
    recipients: [top('To'), top('Cc')].filter((value) => value !== ''),
    newText: wordsOf(raw.slice(head.length)),
    text: raw.slice(head.length),
    joined: top('References') === '' ? [] : [top('References')],
  };
  return { decision: 'accepted', code: null, tier: 'owner', message: told, command: null, approved: [] };
}
