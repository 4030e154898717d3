import { describe, expect, it } from 'vitest';
import type { Persona } from '../../../../engine/config/types.ts';
import { answersInWords } from '../../../../engine/harness/context/resolver-message.ts';
import type { AnsweredRequest, LoadedRun } from '../../../../engine/storage/ports/runs.ts';

const BOB = 'bob@member.example';
const CAROL = 'carol@elsewhere.example';
const OLGA = 'olga@example.com';
const ADA = 'ada@example.com';
const AT = Date.UTC(2026, 10, 21, 12);

type Message = AnsweredRequest['sent'];
const message = (more: Partial<Message>): Message =>
  ({ to: [], cc: [], from_name: '', received_at: AT, text: '', ...more }) as Partial<Message> as Message;

interface Given {
  readonly from?: string;
  readonly tier?: LoadedRun['run']['tier'];
  readonly to?: readonly string[];
  /** What our own mail said. */
  readonly text?: string;
  readonly none?: boolean;
  readonly files?: LoadedRun['attachments'];
}

/** What the model is told when somebody answers the mail that Bob had asked for. */
function told({
  from = CAROL,
  tier = 'known',
  to = [ADA],
  text = 'When can you come?',
  none = false,
  files = [],
}: Given) {
  const asked = {
    run: { sender: BOB, tier: 'member' } as Partial<AnsweredRequest['run']> as AnsweredRequest['run'],
    sent: message({ subject: 'A meeting', text, to: [CAROL] }),
    request: message({ from_name: 'Bob Stone', from_address: BOB, subject: 'Before we fire Carol' }),
  };
  const loaded = {
    run: { tier },
    attachments: files,
    message: message({ from_address: from, tier, to }),
    trigger: { kind: 'mail', answersTask: null, answersRequest: none ? null : asked },
  } as Partial<LoadedRun> as LoadedRun;
  const persona = {
    address: ADA,
    aliases: ['office@example.com'],
    owners: [OLGA],
    timezone: 'UTC',
    access: { allow: ['*@member.example'], deny: [], known: { tools: [] }, lists: [] },
  } as Partial<Persona> as Persona;
  return answersInWords(loaded, persona, { access: { default_decision: 'deny', allow: [], deny: [] } });
}

const MAIL = `your mail "A meeting" of 2026-11-21 to ${CAROL}, which you sent for `;
const WHOLE = `${MAIL}"Bob Stone" <${BOB}>, who asked for it on 2026-11-21 in the mail "Before we fire Carol"`;

describe('what the model is told of the request behind a mail that is answered', () => {
  it('is nothing where there was none', () => {
    expect(told({ none: true })).toBeNull();
  });

  it.each([
    ['an owner', { from: OLGA, tier: 'owner' }],
    ['the one who asked', { from: BOB, tier: 'member', to: ['office+x@example.com'] }],
    ['an owner to the one who asked', { from: OLGA, tier: 'owner', to: [ADA, BOB] }],
  ] satisfies [string, Given][])('is all of it to %s', (_, given) => {
    expect(told(given)).toBe(WHOLE);
  });

  it.each([
    ['the correspondent', {}],
    ['an owner before the correspondent', { from: OLGA, tier: 'owner', to: [ADA, CAROL] }],
  ] satisfies [string, Given][])('names neither who asked nor the request to %s', (_, given) => {
    expect(told(given)).toContain(`${MAIL}somebody else. `);
    expect(told(given)).not.toMatch(/Bob|Stone|fire/);
  });

  it.each([
    ['another member', { from: 'max@member.example', tier: 'member', text: `Please tell ${BOB}.` }],
    ['whoever claims to be the correspondent', { tier: 'unauthenticated' }],
    ['whoever claims to be an owner', { from: OLGA, tier: 'unauthenticated' }],
  ] satisfies [string, Given][])('is nothing of our own mail to %s, to whom it did not go', (_, given) => {
    expect(told(given)).toContain('did not go to this sender');
    expect(told(given)).not.toMatch(/Bob|Stone|fire|meeting|carol|2026/i);
  });

  it('is who asked, as far as our own mail said', () => {
    expect(told({ text: 'Bob Stone asks when you can come.' })).toContain(`${MAIL}"Bob Stone". `);
    expect(told({ text: `Please tell ${BOB}.` })).toContain(`${MAIL}"Bob Stone" <${BOB}>. `);
    expect(told({ text: 'Bob Stone asks.' })).not.toContain('fire');
  });

  it('says that the gateway tells them, where it does', () => {
    expect(told({})).toContain('is sent this answer by the gateway');
    expect(told({ from: 'max@member.example', tier: 'member' })).not.toContain('by the gateway');
  });

  it('says which files go along with that', () => {
    const file = (name: string, bytes: number, unreadable: string | null = null) =>
      ({ name, bytes, unreadable }) as LoadedRun['attachments'][number];
    const [small, sealed, large] = [file('a.pdf', 10), file('b.p7m', 10, 'encrypted'), file('c.zip', 11_000_000)];
    expect(told({ files: [small] })).toContain('is sent this answer with its attachments by the gateway');
    expect(told({ files: [sealed] })).toContain('is sent this answer without its attachments by the gateway');
    expect(told({ files: [small, sealed, large] })).toContain('with its attachments but for "b.p7m", "c.zip" by');
  });
});
